#include <heddle/net/listener.hpp>

#include <heddle/base/error.hpp>
#include <heddle/base/log.hpp>

#include "fiber/park.hpp"
#include "fiber/reactor.hpp"
#include "net/address.hpp"
#include "net/socket_file.hpp"

#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

namespace heddle::net {

using namespace std::chrono_literals;

namespace {

constexpr auto starved_pause = 100ms; // between two tries without descriptors or memory

[[noreturn]] void refuse(const endpoint& at, const char* why)
{
    throw config_error("cannot listen on " + to_string(at) + ": " + why);
}

// Closes what nobody has taken over.
class owned_fd
{
public:
    explicit owned_fd(int fd) noexcept : fd_(fd) {}
    ~owned_fd()
    {
        if (fd_ >= 0)
            ::close(fd_);
    }
    owned_fd(const owned_fd&) = delete;
    owned_fd& operator=(const owned_fd&) = delete;

    int get() const noexcept { return fd_; }
    void release() noexcept { fd_ = -1; }

private:
    int fd_;
};

void bind_and_listen(int fd, const endpoint& at, const address& a, int backlog)
{
    const int one = 1;
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (::bind(fd, a.get(), a.size) != 0 || ::listen(fd, backlog) != 0)
        refuse(at, std::strerror(errno));
}

std::unique_ptr<socket_file> bind_and_listen_in_file(int fd, const endpoint& at, const listening& how)
{
    try {
        return std::make_unique<socket_file>(fd, at.path, how.unix_mode, how.backlog);
    } catch (const std::system_error& failure) {
        refuse(at, std::strerror(failure.code().value()));
    }
}

bool has_option(int fd, int name, int wanted) noexcept
{
    int value = 0;
    socklen_t size = sizeof value;
    return ::getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0 && value == wanted;
}

bool add_flags(int fd, int get, int set, int flags) noexcept
{
    const int now = ::fcntl(fd, get);
    return now >= 0 && ::fcntl(fd, set, now | flags) == 0;
}

// The connections inherit it. Without it the kernel takes megabytes of an answer for a client that does not
// read, and a worker copies them in one go while others wait for it. Means nothing to a unix-domain socket.
void limit_unsent(int fd) noexcept
{
    const int most = 128 * 1024; // bytes, beyond what is on its way to the client
    ::setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &most, sizeof most);
}

endpoint where(int fd)
{
    address bound;
    ::getsockname(fd, bound.get(), &bound.size);
    return endpoint_of(bound);
}

} // namespace

listener::listener(const endpoint& at, const listening& how)
{
    const std::optional<address> wanted = address_of(at);
    if (!wanted)
        refuse(at, at.is_unix() ? "the path is too long" : "this is no address");
    owned_fd fd(::socket(wanted->family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (fd.get() < 0)
        refuse(at, std::strerror(errno));
    if (at.is_unix() && at.path.front() != '@')
        file_ = bind_and_listen_in_file(fd.get(), at, how);
    else
        bind_and_listen(fd.get(), at, *wanted, how.backlog);
    watch(fd.get());
    fd.release();
}

// Not blocking, as another process may take the connection that this one was told of. That is the socket's
// property, not the descriptor's: it is so for all who have it.
listener::listener(int inherited) : is_inherited_(true)
{
    const std::string name = "descriptor " + std::to_string(inherited);
    if (!has_option(inherited, SO_TYPE, SOCK_STREAM) || !has_option(inherited, SO_ACCEPTCONN, 1))
        throw config_error("cannot listen on " + name + ": it is no stream socket that listens");
    if (!add_flags(inherited, F_GETFL, F_SETFL, O_NONBLOCK) ||
        !add_flags(inherited, F_GETFD, F_SETFD, FD_CLOEXEC))
        throw config_error("cannot listen on " + name + ": " + std::strerror(errno));
    watch(inherited);
}

void listener::watch(int fd)
{
    limit_unsent(fd);
    at_ = where(fd);
    descriptor_ = fiber::watch_one_shot(fd);
    fd_ = fd;
}

listener::~listener()
{
    close();
}

std::optional<socket> listener::accept()
{
    std::optional<socket> next;
    for (;;) {
        switch (try_once(next)) {
        case outcome::accepted:
            return next;
        case outcome::none:
            // Re-armed each time: what is queued already reports again, so no connection is forgotten.
            if (fiber::wait_ready(descriptor_, fiber::direction::read) != fiber::wake::notified)
                return std::nullopt;
            break;
        case outcome::starved:
            if (fiber::park_alone({.reason = "descriptors", .until = fiber::after(starved_pause)}) !=
                fiber::wake::timed_out)
                return std::nullopt;
            break;
        }
    }
}

std::optional<socket> listener::try_accept()
{
    std::optional<socket> next;
    if (descriptor_)
        try_once(next);
    return next;
}

listener::outcome listener::try_once(std::optional<socket>& into)
{
    for (;;) {
        int fd = fiber::sys::accept(fd_);
        if (fd == -EAGAIN)
            return outcome::none;
        if (fd == -ECONNABORTED || fd == -EINTR || fd == -EPROTO)
            continue;
        if (fd >= 0) {
            try {
                into.emplace(fd);
                return outcome::accepted;
            } catch (const std::system_error& failure) {
                fd = -failure.code().value();
            } catch (const std::bad_alloc&) {
                fd = -ENOMEM;
            }
        }
        if (fiber::now() - last_complaint_ >= 1s) {
            last_complaint_ = fiber::now();
            log::warn("cannot accept connections", {{"cause", std::strerror(-fd)}});
        }
        return outcome::starved;
    }
}

void listener::close() noexcept
{
    file_.reset(); // first: a file that is there has somebody who listens
    if (fiber::descriptor* const d = std::exchange(descriptor_, nullptr))
        fiber::forget(d);
    fd_ = -1;
}

} // namespace heddle::net
