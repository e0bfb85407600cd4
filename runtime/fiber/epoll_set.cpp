#include "fiber/epoll_set.hpp"

#include <heddle/fiber/scope.hpp>

#include "fiber/runtime_state.hpp"

#include <cerrno>
#include <algorithm>
#include <mutex>
#include <system_error>
#include <utility>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace heddle::fiber {

namespace {

constexpr std::uint64_t wake_tag = ~std::uint64_t{0};
constexpr std::uint32_t edge_events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
constexpr std::uint32_t read_edge_events = EPOLLIN | EPOLLRDHUP | EPOLLET;

std::uint32_t events_of(readiness how) noexcept
{
    switch (how) {
    case readiness::one_shot:
        return EPOLLONESHOT;
    case readiness::read_edges:
        return read_edge_events;
    default:
        return edge_events;
    }
}

std::uint64_t tag_of(const descriptor& d) noexcept
{
    return std::uint64_t{d.generation} << 32 | d.slot;
}

[[noreturn]] void throw_errno(const char* what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

// Lets the nudge signal through while it waits, so that a nudge sent just before is not lost.
[[gnu::noinline]] int wait_for_events(int epoll_fd, epoll_event* events, int most, const timespec* timeout,
                                      const sigset_t* mask) noexcept
{
    static std::atomic<bool> has_pwait2{true};
    if (has_pwait2.load(std::memory_order_relaxed)) {
        const int count = ::epoll_pwait2(epoll_fd, events, most, timeout, mask);
        if (count >= 0 || errno != ENOSYS)
            return count;
        has_pwait2.store(false, std::memory_order_relaxed);
    }
    int ms = -1;
    if (timeout)
        ms = static_cast<int>(timeout->tv_sec * 1000 + (timeout->tv_nsec + 999'999) / 1'000'000);
    return ::epoll_pwait(epoll_fd, events, most, ms, mask);
}

} // namespace

epoll_set::epoll_set() : epoll_fd_(::epoll_create1(EPOLL_CLOEXEC)), wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
    if (epoll_fd_ < 0 || wake_fd_ < 0)
        throw_errno("epoll");
    epoll_event event{};
    event.events = EPOLLIN | EPOLLET;
    event.data.u64 = wake_tag;
    if (::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, wake_fd_, &event) != 0)
        throw_errno("epoll_ctl");
}

epoll_set::~epoll_set()
{
    ::close(wake_fd_);
    ::close(epoll_fd_);
    for (auto& chunk : chunks_)
        delete chunk.load();
}

descriptor* epoll_set::take_slot()
{
    spin_lock guard(lock_);
    if (descriptor* const again = free_) {
        free_ = again->next_free;
        return again;
    }
    const std::uint32_t slot = used_;
    if (slot == chunk_size * most_chunks)
        throw std::system_error(EMFILE, std::generic_category(), "too many descriptors");
    if (slot % chunk_size == 0)
        chunks_[slot / chunk_size].store(new chunk, std::memory_order_release);
    ++used_;
    descriptor* const fresh = at(slot);
    fresh->slot = slot;
    return fresh;
}

descriptor* epoll_set::at(std::uint32_t slot) const noexcept
{
    return &(*chunks_[slot / chunk_size].load(std::memory_order_acquire))[slot % chunk_size];
}

descriptor* epoll_set::add(int fd, readiness how)
{
    descriptor* const d = take_slot();
    epoll_event event{};
    {
        spin_lock guard(d->lock);
        d->fd = fd;
        d->how = how;
        d->readable = d->writable = d->reset = d->read_closed = false;
        event.data.u64 = tag_of(*d);
    }
    event.events = events_of(how);
    if (::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event) == 0)
        return d;
    const int error = errno;
    remove(d, false);
    throw std::system_error(error, std::generic_category(), "epoll_ctl");
}

// The generation is raised before the descriptor is closed, so an event that another worker has already taken out, or a new
// descriptor with the same number, cannot be mistaken for this one.
void epoll_set::remove(descriptor* d, bool close_it) noexcept
{
    int fd = -1;
    {
        spin_lock guard(d->lock);
        ++d->generation;
        fd = d->fd;
        d->fd = -1;
        d->on_readable = nullptr;
        d->request = nullptr;
        d->reader = d->writer = nullptr;
    }
    if (close_it)
        ::close(fd);
    else
        ::epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd, nullptr);
    spin_lock guard(lock_);
    d->next_free = free_;
    free_ = d;
}

int epoll_set::ask(descriptor* d, direction which) noexcept
{
    if (d->how == readiness::one_shot)
        return modify(d, EPOLLONESHOT | (which == direction::read ? EPOLLIN : EPOLLOUT));
    if (d->how == readiness::read_edges && which == direction::write)
        return modify(d, edge_events);
    return 0;
}

// An edge that comes between the two is told again: changing the events asks for what is there now.
void epoll_set::asked(descriptor* d, direction which) noexcept
{
    if (d->how == readiness::read_edges && which == direction::write)
        modify(d, read_edge_events);
}

int epoll_set::modify(descriptor* d, std::uint32_t events) noexcept
{
    epoll_event event{};
    event.events = events;
    event.data.u64 = tag_of(*d);
    return ::epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, d->fd, &event) == 0 ? 0 : -errno;
}

void epoll_set::wake() noexcept
{
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_fd_, &one, sizeof one);
}

void epoll_set::poll(worker& w, time_point until) noexcept
{
    std::array<epoll_event, 256> events;
    timespec timeout{};
    const bool sleeps = until != time_point{};
    if (sleeps && until != never) {
        const auto left = std::max(duration::zero(), until - std::chrono::steady_clock::now());
        timeout.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(left).count();
        timeout.tv_nsec = (left % std::chrono::seconds(1)).count();
    }
    const int count = wait_for_events(epoll_fd_, events.data(), static_cast<int>(events.size()),
                                      until == never ? nullptr : &timeout,
                                      sleeps ? &w.wait_mask : nullptr);
    if (sleeps)
        w.state.wake_pending.store(false, std::memory_order_seq_cst);
    for (int i = 0; i < count; ++i) {
        if (events[i].data.u64 != wake_tag)
            handle(events[i].data.u64, events[i].events);
        else if (!sleeps)
            pass_on_wake(w.state);
    }
}

// A busy worker took the edge that was meant for a sleeping one. Who pushes work and finds a wake pending
// leaves it to that wake, so the flag goes first, and then the look at who sleeps: either it is seen here, or
// it goes to sleep after the flag was cleared, hence after the push, and finds the work itself.
void epoll_set::pass_on_wake(runtime_state& state) noexcept
{
    state.wake_pending.store(false, std::memory_order_seq_cst);
    if (state.idle_workers.load(std::memory_order_seq_cst) > 0)
        wake_one(state);
}

void epoll_set::handle(std::uint64_t tag, std::uint32_t events) noexcept
{
    descriptor* const d = at(static_cast<std::uint32_t>(tag));
    void (*on_readable)(void*) = nullptr;
    void* argument = nullptr;
    {
        spin_lock guard(d->lock);
        if (d->generation != static_cast<std::uint32_t>(tag >> 32))
            return;
        if (events & (EPOLLERR | EPOLLHUP)) {
            d->reset = true;
            if (d->request)
                d->request->cancel();
        }
        if (events & EPOLLRDHUP)
            d->read_closed = true;
        if (events & (EPOLLIN | EPOLLRDHUP | EPOLLERR | EPOLLHUP)) {
            record* const reader = std::exchange(d->reader, nullptr);
            if (!reader || !unpark(reader)) {
                on_readable = std::exchange(d->on_readable, nullptr);
                argument = d->on_readable_argument;
                d->readable = !on_readable;
            }
        }
        if (events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) {
            record* const writer = std::exchange(d->writer, nullptr);
            if (!writer || !unpark(writer))
                d->writable = true;
        }
    }
    if (on_readable)
        on_readable(argument);
}

} // namespace heddle::fiber
