#include <heddle/net/socket.hpp>

#include <heddle/net/error.hpp>

#include "fiber/park.hpp"
#include "fiber/reactor.hpp"
#include "net/address.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace heddle::net {

namespace {

[[noreturn]] void throw_broken(const char* what, std::int64_t error)
{
    throw broken(std::string(what) + ": " + std::strerror(static_cast<int>(-error)));
}

fiber::descriptor* watch_or_close(int fd)
{
    struct closer
    {
        int fd;
        ~closer()
        {
            if (fd >= 0)
                ::close(fd);
        }
    } guard{fd};
    fiber::descriptor* const d = fiber::watch(fd);
    guard.fd = -1;
    return d;
}

// Bytes that the peer has not acknowledged yet. 0 if that cannot be asked.
int unacknowledged(int fd) noexcept
{
    int bytes = 0;
    return ::ioctl(fd, SIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

// What is written but not taken outlives the descriptor in the kernel: megabytes for as long as the peer
// answers its probes, unless the kernel is told how long to wait for room.
void limit_leavings(int fd, fiber::duration stall) noexcept
{
    const auto most =
        static_cast<unsigned>(std::chrono::duration_cast<std::chrono::milliseconds>(stall).count());
    if (unacknowledged(fd) > 0)
        ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &most, sizeof most);
}

} // namespace

socket::socket(int fd) : descriptor_(watch_or_close(fd)), fd_(fd)
{
    const int one = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

socket::socket(socket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, nullptr)),
      fd_(std::exchange(other.fd_, -1)),
      write_stall_(other.write_stall_)
{
}

socket& socket::operator=(socket&& other) noexcept
{
    if (this != &other) {
        close();
        descriptor_ = std::exchange(other.descriptor_, nullptr);
        fd_ = std::exchange(other.fd_, -1);
        write_stall_ = other.write_stall_;
    }
    return *this;
}

socket::~socket()
{
    close();
}

std::size_t socket::read_some(std::span<char> into)
{
    for (;;) {
        const std::ptrdiff_t count = try_read_some(into);
        if (count >= 0)
            return static_cast<std::size_t>(count);
        wait_readable();
    }
}

void socket::wait_readable()
{
    fiber::check(fiber::wait_ready(descriptor_, fiber::direction::read));
}

std::ptrdiff_t socket::try_read_some(std::span<char> into)
{
    for (;;) {
        const std::int64_t count = fiber::sys::receive(fd_, into.data(), into.size());
        if (count >= 0)
            return count;
        if (count == -EAGAIN)
            return -1;
        if (count != -EINTR)
            throw_broken("receive", count);
    }
}

void socket::write(std::string_view all)
{
    for (;;) {
        all.remove_prefix(try_write_some(all));
        if (all.empty())
            return;
        wait_writable();
    }
}

// The kernel reports room only when a third of its buffer is free, which a slow reader may not reach in the
// time: what counts is whether he has taken anything.
void socket::wait_writable()
{
    const int before = unacknowledged(fd_);
    const auto outcome = fiber::wait_ready(descriptor_, fiber::direction::write, fiber::after(write_stall_));
    if (!fiber::check(outcome) && unacknowledged(fd_) >= before)
        throw broken("send: the peer has stopped reading");
}

std::size_t socket::try_write_some(std::string_view bytes)
{
    std::size_t written = 0;
    while (written < bytes.size()) {
        const std::int64_t count = fiber::sys::send(fd_, bytes.data() + written, bytes.size() - written);
        if (count >= 0)
            written += static_cast<std::size_t>(count);
        else if (count == -EAGAIN)
            break;
        else if (count != -EINTR)
            throw_broken("send", count);
    }
    return written;
}

void socket::shutdown_write() noexcept
{
    ::shutdown(fd_, SHUT_WR);
}

void socket::cancel_on_reset(fiber::scope* request) noexcept
{
    fiber::attach_scope(descriptor_, request);
}

void socket::shutdown_both() noexcept
{
    ::shutdown(fd_, SHUT_RDWR);
}

void socket::close() noexcept
{
    if (fiber::descriptor* const d = std::exchange(descriptor_, nullptr)) {
        limit_leavings(fd_, write_stall_);
        fiber::forget(d);
    }
    fd_ = -1;
}

void socket::close_with_reset() noexcept
{
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    if (descriptor_)
        ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
}

bool socket::was_reset() const noexcept
{
    return fiber::was_reset(descriptor_);
}

bool socket::has_come() const noexcept
{
    return fiber::sys::has_data(fd_);
}

std::string socket::peer() const
{
    address a;
    if (::getpeername(fd_, a.get(), &a.size) != 0)
        return {};
    if (a.family() == AF_UNIX)
        return "unix";
    return to_string(endpoint_of(a));
}

} // namespace heddle::net
