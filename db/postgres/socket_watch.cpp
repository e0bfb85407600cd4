// The duplicate of libpq's descriptor in the runtime's epoll set.
#include "postgres/socket_watch.hpp"

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace heddle::db::pg {

namespace {

// Returns a duplicate or -errno. errno is read where it was set: its address must not be remembered across a
// switch to another worker.
[[gnu::noinline]] int duplicate(int fd) noexcept
{
    const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return copy < 0 ? -errno : copy;
}

fiber::descriptor* watch_duplicate(int fd, bool reads_to_the_end)
{
    const int copy = duplicate(fd);
    if (copy < 0)
        throw std::system_error(-copy, std::generic_category(), "a connection's socket");
    try {
        return reads_to_the_end ? fiber::watch_reads(copy) : fiber::watch_one_shot(copy);
    } catch (...) {
        ::close(copy);
        throw;
    }
}

} // namespace

socket_watch::socket_watch(int fd, bool reads_to_the_end) : descriptor_(watch_duplicate(fd, reads_to_the_end))
{
}

// Taken out of the set first: closing alone does not do that as long as libpq's own descriptor is open.
socket_watch::~socket_watch()
{
    const int fd = descriptor_->fd;
    fiber::forget(descriptor_, false);
    ::close(fd);
}

void socket_watch::disturb() noexcept
{
    const fiber::spin_lock lock(descriptor_->lock);
    auto* const reader = std::exchange(descriptor_->reader, nullptr);
    if (!reader || !fiber::unpark(reader))
        descriptor_->readable = true;
}

bool socket_watch::wait_for_end()
{
    std::array<char, 512> ignored;
    for (;;) {
        const auto count = fiber::sys::receive(descriptor_->fd, ignored.data(), ignored.size());
        if (count > 0 || count == -EINTR)
            continue;
        if (count != -EAGAIN) // an end, or an error that is one
            return true;
        if (wait(fiber::direction::read) != fiber::wake::notified)
            return false;
    }
}

} // namespace heddle::db::pg
