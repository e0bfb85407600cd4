// The shared epoll descriptor with its table of watched descriptors.
#pragma once

#include <heddle/fiber/clock.hpp>

#include "fiber/reactor.hpp"

#include <array>
#include <atomic>
#include <memory>

namespace heddle::fiber {

struct runtime_state;
struct worker;

class epoll_set
{
public:
    epoll_set();
    ~epoll_set();
    epoll_set(const epoll_set&) = delete;
    epoll_set& operator=(const epoll_set&) = delete;

    descriptor* add(int fd, readiness how);
    void remove(descriptor* d, bool close_it) noexcept;
    // Before and after a wait, where it is not told without being asked. Returns -errno, or 0.
    int ask(descriptor* d, direction which) noexcept;
    void asked(descriptor* d, direction which) noexcept;

    // Takes what has happened and makes the fibers ready that waited for it; `w`, which is this thread's,
    // sleeps until `until` if nothing has.
    void poll(worker& w, time_point until) noexcept;
    // Makes one sleeping thread come out of poll().
    void wake() noexcept;

private:
    static constexpr std::size_t chunk_size = 1024;
    static constexpr std::size_t most_chunks = 4096; // 4 million descriptors
    using chunk = std::array<descriptor, chunk_size>;

    int modify(descriptor* d, std::uint32_t events) noexcept;
    descriptor* take_slot();
    descriptor* at(std::uint32_t slot) const noexcept;
    void pass_on_wake(runtime_state& state) noexcept;
    void handle(std::uint64_t tag, std::uint32_t events) noexcept;

    int epoll_fd_;
    int wake_fd_;
    spin lock_; // guards free_, used_ and the making of chunks
    descriptor* free_ = nullptr;
    std::uint32_t used_ = 0;
    std::array<std::atomic<chunk*>, most_chunks> chunks_{};
};

} // namespace heddle::fiber
