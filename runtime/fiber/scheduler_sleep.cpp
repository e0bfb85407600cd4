// How a worker waits when it has nothing to run, and how it is woken.
#include "fiber/runtime_state.hpp"
#include "fiber/scheduler.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

namespace heddle::fiber {

namespace {

// The test's own thread waits, and so does every fiber. What can still happen: something outside ends, or the next timer.
void wait_in_virtual_time(runtime_state& state) noexcept
{
    if (state.outside.load(std::memory_order_acquire) > 0)
        return state.epoll.poll(state, never);
    const time_point next = state.timers.next();
    if (next == never) {
        const std::string all = dump_fibers();
        std::fprintf(stderr, "testing::runtime: a deadlock: the test waits, and so does every fiber:\n%s", all.c_str());
        std::abort();
    }
    state.virtual_now = std::max(now(), next);
}

void drain(int eventfd) noexcept
{
    std::uint64_t count = 0;
    [[maybe_unused]] const auto read = ::read(eventfd, &count, sizeof count);
}

} // namespace

bool scheduler::has_ready_fibers() const noexcept
{
    return worker_.queue.size() > 0 || worker_.dispatcher_ready || worker_.main_ready.load(std::memory_order_acquire);
}

void scheduler::suspend_until(const std::chrono::steady_clock::time_point& boost_until) noexcept
{
    if (worker_.state.stopping.load(std::memory_order_acquire))
        return;
    const time_point until = std::min<time_point>(boost_until, never);
    if (worker_.computes)
        sleep_on_own_eventfd(until);
    else
        sleep_in_epoll(until);
}

// Says that it sleeps, then looks once more, then sleeps. Whoever pushes work does the reverse: pushes, then looks who sleeps.
// Both in sequentially consistent order, so one of the two sees the other.
void scheduler::sleep_in_epoll(time_point until) noexcept
{
    runtime_state& state = worker_.state;
    state.idle_workers.fetch_add(1, std::memory_order_seq_cst);
    worker_.slept.store(true, std::memory_order_relaxed);
    bool work = worker_.notified.exchange(false, std::memory_order_seq_cst) || state.injected.size() > 0 ||
                worker_.main_ready.load(std::memory_order_seq_cst) || state.stopping.load(std::memory_order_seq_cst);
    for (const auto& other : state.workers)
        work = work || (!other->computes && other->queue.size() > 0);
    if (!work) {
        count_one(worker_.sleeps);
        if (state.virtual_time)
            wait_in_virtual_time(state);
        else
            state.epoll.poll(state, std::min(until, state.timers.next()));
    }
    state.idle_workers.fetch_sub(1, std::memory_order_seq_cst);
    fire_timers(state);
}

void scheduler::sleep_on_own_eventfd(time_point until) noexcept
{
    runtime_state& state = worker_.state;
    worker_.sleeping.store(true, std::memory_order_seq_cst);
    const bool work = worker_.notified.exchange(false, std::memory_order_seq_cst) || state.computing.size() > 0 ||
                      state.stopping.load(std::memory_order_seq_cst);
    if (!work) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now()).count();
        pollfd wait{worker_.wake_fd, POLLIN, 0};
        ::poll(&wait, 1, until == never ? -1 : static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000)));
        drain(worker_.wake_fd);
    }
    worker_.sleeping.store(false, std::memory_order_seq_cst);
}

void scheduler::notify() noexcept
{
    worker_.notified.store(true, std::memory_order_seq_cst);
    if (worker_.computes) {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(worker_.wake_fd, &one, sizeof one);
    } else {
        ::pthread_kill(worker_.thread_id, nudge_signal); // ends this very thread's wait in the shared epoll set
    }
}

} // namespace heddle::fiber
