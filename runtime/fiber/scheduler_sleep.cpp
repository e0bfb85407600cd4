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

// The test's own thread waits, and so does every fiber. What can still happen: something outside ends, or the
// next timer.
void wait_in_virtual_time(worker& w) noexcept
{
    runtime_state& state = w.state;
    if (state.outside.load(std::memory_order_acquire) > 0)
        return state.epoll.poll(w, never);
    const time_point next = state.timers.next();
    if (next == never) {
        const std::string all = dump_fibers();
        std::fprintf(stderr, "testing::runtime: a deadlock: the test waits, and so does every fiber:\n%s",
                     all.c_str());
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
    return worker_.queue.size() > 0 || worker_.dispatcher_ready ||
           worker_.main_ready.load(std::memory_order_acquire);
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

// Says that it sleeps, then looks once more, then sleeps. Whoever pushes work, or arms a timer, does the
// reverse: pushes, then looks who sleeps. Both in sequentially consistent order, so one of the two sees the
// other.
void scheduler::sleep_in_epoll(time_point until) noexcept
{
    runtime_state& state = worker_.state;
    state.idle_workers.fetch_add(1, std::memory_order_seq_cst);
    worker_.slept = true;
    const bool work = worker_.notified.exchange(false, std::memory_order_seq_cst) ||
                      worker_.main_ready.load(std::memory_order_seq_cst) ||
                      state.stopping.load(std::memory_order_seq_cst) || work_waits();
    if (!work) {
        count_one(worker_.sleeps);
        if (state.virtual_time) {
            wait_in_virtual_time(worker_);
        } else {
            const time_point alarm = std::min(until, state.timers.next());
            worker_.alarm.store(alarm, std::memory_order_seq_cst);
            state.epoll.poll(worker_, alarm);
            worker_.alarm.store(never, std::memory_order_seq_cst);
        }
    }
    state.idle_workers.fetch_sub(1, std::memory_order_seq_cst);
    fire_timers(state);
}

// One wake brings one worker. It has work now, perhaps for long: if there is more work, wherever it lies, or
// nobody is left whose alarm is set for the next timer, it passes the call on. Two that leave their sleep at
// once each took back their own alarm before they look for another's, so not both rely on the other.
void scheduler::found_work_after_sleep() noexcept
{
    worker_.slept = false;
    runtime_state& state = worker_.state;
    if (state.idle_workers.load(std::memory_order_seq_cst) > 0 && (work_waits() || !timers_are_watched()))
        wake_one(state);
}

// Whether a fiber is ready that a normal worker could take.
bool scheduler::work_waits() const noexcept
{
    if (worker_.state.injected.size() > 0)
        return true;
    for (const auto& other : worker_.state.workers)
        if (!other->computes && other->queue.size() > 0)
            return true;
    return false;
}

bool scheduler::timers_are_watched() const noexcept
{
    const time_point next = worker_.state.timers.next();
    if (next == never)
        return true;
    for (const auto& other : worker_.state.workers)
        if (other->alarm.load(std::memory_order_seq_cst) <= next)
            return true;
    return false;
}

void scheduler::sleep_on_own_eventfd(time_point until) noexcept
{
    runtime_state& state = worker_.state;
    worker_.sleeping.store(true, std::memory_order_seq_cst);
    const bool work = worker_.notified.exchange(false, std::memory_order_seq_cst) ||
                      state.computing.size() > 0 || state.stopping.load(std::memory_order_seq_cst);
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
        ::pthread_kill(worker_.thread_id,
                       nudge_signal); // ends this very thread's wait in the shared epoll set
    }
}

} // namespace heddle::fiber
