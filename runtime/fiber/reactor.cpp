#include "fiber/reactor.hpp"

#include <heddle/fiber/scope.hpp>

#include "fiber/epoll_set.hpp"
#include "fiber/runtime_state.hpp"

#include <cerrno>
#include <utility>

#include <sys/epoll.h>
#include <sys/socket.h>

namespace heddle::fiber {

descriptor* watch(int fd)
{
    return the_runtime()->epoll.add(fd, readiness::edges);
}

descriptor* watch_one_shot(int fd)
{
    return the_runtime()->epoll.add(fd, readiness::one_shot);
}

descriptor* watch_reads(int fd)
{
    return the_runtime()->epoll.add(fd, readiness::read_edges);
}

void forget(descriptor* d, bool close_it) noexcept
{
    the_runtime()->epoll.remove(d, close_it);
}

// The descriptor's lock is the queue's lock L of this park: an event either comes before, and leaves its flag, or finds us.
wake wait_ready(descriptor* d, direction which, time_point until)
{
    const bool reads = which == direction::read;
    spin_lock lock(d->lock);
    bool& ready = reads ? d->readable : d->writable;
    if (std::exchange(ready, false) || d->reset)
        return wake::notified;
    if (reads && d->read_closed && d->how == readiness::read_edges)
        return wake::notified;
    record*& waiter = reads ? d->reader : d->writer;
    waiter = self();
    auto& epoll = the_runtime()->epoll;
    if (epoll.ask(d, which) != 0) {
        waiter = nullptr;
        return wake::notified; // the system call that follows says what is wrong
    }
    const wake outcome = park(lock, {.reason = reads ? "readable" : "writable", .until = until});
    spin_lock again(d->lock);
    if (outcome != wake::notified && waiter == self())
        waiter = nullptr;
    epoll.asked(d, which);
    return outcome;
}

bool when_readable(descriptor* d, void (*f)(void*), void* argument) noexcept
{
    spin_lock guard(d->lock);
    if (std::exchange(d->readable, false) || d->reset || d->read_closed)
        return false;
    d->on_readable_argument = argument;
    d->on_readable = f;
    return true;
}

bool cancel_when_readable(descriptor* d) noexcept
{
    spin_lock guard(d->lock);
    return std::exchange(d->on_readable, nullptr) != nullptr;
}

void attach_scope(descriptor* d, scope* request) noexcept
{
    spin_lock guard(d->lock);
    d->request = request;
    if (request && d->reset)
        request->cancel();
}

bool was_reset(descriptor* d) noexcept
{
    spin_lock guard(d->lock);
    return d->reset;
}

namespace sys {

[[gnu::noinline]] std::int64_t receive(int fd, void* data, std::size_t size) noexcept
{
    const auto count = ::recv(fd, data, size, 0);
    return count < 0 ? -errno : count;
}

[[gnu::noinline]] std::int64_t send(int fd, const void* data, std::size_t size) noexcept
{
    const auto count = ::send(fd, data, size, MSG_NOSIGNAL);
    return count < 0 ? -errno : count;
}

[[gnu::noinline]] bool has_data(int fd) noexcept
{
    char one;
    return ::recv(fd, &one, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

[[gnu::noinline]] int accept(int fd) noexcept
{
    const int accepted = ::accept4(fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    return accepted < 0 ? -errno : accepted;
}

} // namespace sys

} // namespace heddle::fiber
