#include <heddle/testing/runtime.hpp>

#include "fiber/runtime_state.hpp"
#include "fiber/scheduler.hpp"
#include "fiber/settle.hpp"
#include "fiber/spawn.hpp"

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace heddle::testing {

namespace {

fiber::runtime_options one_worker(fiber::runtime_options options)
{
    options.workers = 1;
    options.compute_workers = 0; // compute() runs where it is called
    return options;
}

} // namespace

runtime::runtime(fiber::runtime_options options)
{
    assert(!fiber::the_runtime() && "one runtime at a time");
    state_ = std::make_unique<fiber::runtime_state>(one_worker(options));
    state_->virtual_time = true;
    state_->virtual_now = fiber::time_point(std::chrono::hours(1)); // not zero, so that "before" has room
    fiber::set_the_runtime(state_.get());
    fiber::enter_worker(*state_->workers.front());
}

runtime::~runtime()
{
    state_->ending = true;
    fiber::cancel_all_waits(*state_);
    run_ready();
    // What is shielded gets the time that it asked for.
    while (state_->fibers > 0 && state_->timers.next() != fiber::never)
        advance(state_->timers.next() - fiber::now());
    if (state_->fibers > 0) {
        std::fprintf(stderr, "testing::runtime: these fibers do not end:\n%s", fiber::dump_fibers().c_str());
        std::abort();
    }
    state_->offload.stop();
    state_->stopping = true;
    fiber::leave_worker(*state_->workers.front());
    fiber::set_the_runtime(nullptr);
}

void runtime::spawn(std::function<void()> f)
{
    fiber::spawn("test", std::move(f));
}

void runtime::run_ready()
{
    fiber::worker& w = *state_->workers.front();
    for (;;) {
        while (w.queue.size() > 0 || state_->injected.size() > 0)
            fiber::yield();
        if (state_->outside.load(std::memory_order_acquire) == 0 && state_->injected.size() == 0)
            return;
        std::this_thread::yield();
        state_->epoll.poll(w, fiber::time_point{}); // the answer may come through a socket
    }
}

void runtime::advance(fiber::duration d)
{
    const fiber::time_point target = fiber::now() + d;
    run_ready();
    for (;;) {
        const fiber::time_point next = state_->timers.next();
        if (next > target)
            break;
        if (next > fiber::now())
            state_->virtual_now = next;
        fiber::fire_timers(*state_);
        run_ready();
    }
    state_->virtual_now = target;
    run_ready();
}

std::int64_t runtime::fibers() const noexcept
{
    return state_->fibers;
}

} // namespace heddle::testing
