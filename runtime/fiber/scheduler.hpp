// Which fiber runs next: our algorithm under Boost.Fiber's scheduler. One object a worker.
#pragma once

#include "fiber/worker.hpp"

#include <boost/fiber/algo/algorithm.hpp>
#include <boost/fiber/context.hpp>

namespace heddle::fiber {

class scheduler final : public boost::fibers::algo::algorithm
{
public:
    using context = boost::fibers::context;

    explicit scheduler(worker* w) : worker_(*w) {}

    // `fiber` is ready: a new one, or one that Boost's own primitives woke.
    void awakened(context* fiber) noexcept override;
    // The next to run. Every switch passes here, so the exception state changes hands here as well.
    context* pick_next() noexcept override;
    bool has_ready_fibers() const noexcept override;
    // Nothing to do until `until`: sleeps in epoll (a normal worker) or on its eventfd (a compute worker).
    void suspend_until(const std::chrono::steady_clock::time_point& until) noexcept override;
    // Boost's own primitives made something ready from another thread.
    void notify() noexcept override;

private:
    context* choose(bool in_dispatcher) noexcept;
    context* choose_computing() noexcept;
    context* take_main() noexcept;
    context* take_dispatcher() noexcept;
    context* steal() noexcept;
    void poll_without_sleeping() noexcept;
    void sleep_in_epoll(time_point until) noexcept;
    void sleep_on_own_eventfd(time_point until) noexcept;
    void found_work_after_sleep() noexcept;
    bool work_waits() const noexcept;
    bool timers_are_watched() const noexcept;
    void switch_records(context* from, context* to) noexcept;
    record* record_of(context* c) noexcept;

    worker& worker_;
};

// Looks at the fibers whose time has come, and settles those that still wait.
void fire_timers(runtime_state& state) noexcept;

} // namespace heddle::fiber
