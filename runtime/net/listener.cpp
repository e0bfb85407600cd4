#include <heddle/net/listener.hpp>

#include <heddle/base/error.hpp>
#include <heddle/base/log.hpp>

#include "fiber/park.hpp"
#include "fiber/reactor.hpp"
#include "net/address.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace heddle::net {

using namespace std::chrono_literals;

namespace {

constexpr int backlog = 4096;
constexpr auto starved_pause = 100ms; // between two tries without descriptors or memory

[[noreturn]] void refuse(const endpoint& at, int error)
{
    throw config_error("cannot listen on " + to_string(at) + ": " + std::strerror(error));
}

int open_listening(const endpoint& at, const address& a)
{
    const int fd = ::socket(a.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        refuse(at, errno);
    const int one = 1;
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (::bind(fd, a.get(), a.size) != 0 || ::listen(fd, backlog) != 0) {
        const int error = errno;
        ::close(fd);
        refuse(at, error);
    }
    return fd;
}

} // namespace

listener::listener(const endpoint& at)
{
    const std::optional<address> wanted = address_of(at);
    if (!wanted)
        throw config_error("cannot listen on " + to_string(at) + ": this is no address");
    fd_ = open_listening(at, *wanted);
    address bound;
    ::getsockname(fd_, bound.get(), &bound.size);
    port_ = endpoint_of(bound).port;
    try {
        descriptor_ = fiber::watch_one_shot(fd_);
    } catch (...) {
        ::close(fd_);
        throw;
    }
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
    if (fiber::descriptor* const d = std::exchange(descriptor_, nullptr))
        fiber::forget(d);
    fd_ = -1;
}

} // namespace heddle::net
