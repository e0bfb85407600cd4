#include "fiber/scheduler.hpp"

#include "fiber/overflow.hpp"
#include "fiber/runtime_state.hpp"
#include "fiber/settle.hpp"

#include <boost/fiber/type.hpp>
#include <boost/version.hpp>

#include <cxxabi.h>

#include <array>

namespace heddle::fiber {

namespace {

namespace bf = boost::fibers;

// A busy worker looks at the descriptors and timers, and lets its main context run, once in so many switches.
constexpr unsigned fairness_tick = 61;
constexpr unsigned main_tick = 7; // the main context's place within the same round

} // namespace

void scheduler::awakened(context* fiber) noexcept
{
    if (fiber->is_context(bf::type::dispatcher_context)) {
        worker_.dispatcher = fiber;
        worker_.dispatcher_ready = true;
        return;
    }
    if (fiber->is_context(bf::type::main_context)) {
        worker_.main = fiber;
        worker_.main_ready.store(true, std::memory_order_release);
        return;
    }
    fiber->detach(); // from this worker: whoever picks it attaches it to his own
    runtime_state& state = worker_.state;
    if (worker_.computes && record_of(fiber)->computes) { // it yields; what it has spawned is no computation
        state.computing.push(fiber);
        if (state.computing.size() > (worker_.running == &worker_.dispatcher_record ? 1 : 0))
            wake_compute_worker(state);
        return;
    }
    if (worker_.computes) {
        state.injected.push(fiber);
        return wake_sleeper(state);
    }
    worker_.queue.push(fiber);
    pushed_to_own_queue(worker_);
}

scheduler::context* scheduler::pick_next() noexcept
{
    context* const current = context::active();
    const bool in_dispatcher = current == worker_.dispatcher;
    ++worker_.tick;
    context* const next = worker_.computes ? choose_computing() : choose(in_dispatcher);
    if (!next)
        return nullptr;
    count_one(worker_.switches);
    if (next->is_context(bf::type::worker_context)) {
        worker_.main->attach(next);
        if (worker_.slept)
            found_work_after_sleep();
    }
    switch_records(current, next);
    return next;
}

scheduler::context* scheduler::choose(bool in_dispatcher) noexcept
{
    const unsigned turn = worker_.tick % fairness_tick;
    if (turn == 0 && !in_dispatcher && worker_.dispatcher_ready) {
        worker_.must_poll = true;
        return take_dispatcher();
    }
    if (turn == main_tick)
        if (context* const main = take_main())
            return main;
    if (in_dispatcher && worker_.must_poll)
        poll_without_sleeping();

    ready_queue& injected = worker_.state.injected;
    if ((worker_.tick & 1) != 0)
        if (context* const next = injected.pop())
            return next;
    if (context* const next = worker_.queue.pop())
        return next;
    if (context* const next = injected.pop())
        return next;
    if (context* const main = take_main())
        return main;
    if (!in_dispatcher)
        return take_dispatcher();

    poll_without_sleeping();
    if (context* const next = worker_.queue.pop())
        return next;
    if (context* const next = injected.pop())
        return next;
    if (context* const next = steal())
        return next;
    return take_main();
}

scheduler::context* scheduler::choose_computing() noexcept
{
    if (worker_.dispatcher_ready && context::active() != worker_.dispatcher)
        return take_dispatcher();
    if (context* const next = worker_.state.computing.pop())
        return next;
    return take_main();
}

// Not while it is the one that leaves: it may have been made ready before it suspends. The dispatcher brings
// it back then.
scheduler::context* scheduler::take_main() noexcept
{
    if (context::active() == worker_.main)
        return nullptr;
    return worker_.main_ready.exchange(false, std::memory_order_acq_rel) ? worker_.main : nullptr;
}

scheduler::context* scheduler::take_dispatcher() noexcept
{
    if (!worker_.dispatcher_ready)
        return nullptr;
    worker_.dispatcher_ready = false;
    return worker_.dispatcher;
}

scheduler::context* scheduler::steal() noexcept
{
    for (auto& victim : worker_.state.workers) {
        if (victim.get() == &worker_ || victim->computes)
            continue;
        if (context* const stolen = victim->queue.pop()) {
            count_one(worker_.steals);
            return stolen;
        }
    }
    return nullptr;
}

void scheduler::poll_without_sleeping() noexcept
{
    worker_.must_poll = false;
    count_one(worker_.polls);
    fire_timers(worker_.state);
    worker_.state.epoll.poll(worker_, time_point{});
}

record* scheduler::record_of(context* c) noexcept
{
    if (c->is_context(bf::type::worker_context))
        return worker_.state.stacks.record_of(c);
    return c == worker_.dispatcher ? &worker_.dispatcher_record : &worker_.main_record;
}

void scheduler::switch_records(context* from, context* to) noexcept
{
    record* const leaving = record_of(from);
    record* const entering = record_of(to);
    if (!leaving->has_guard && !worker_.state.stacks.canary_intact(leaving))
        die_of_stack_overflow(*leaving, worker_.state.stacks.stack_size());
    worker_.running = entering;
#if BOOST_VERSION < 108800 // newer ones do this themselves
    if (leaving == entering)
        return;
    auto* const globals = reinterpret_cast<exception_state*>(abi::__cxa_get_globals());
    leaving->exceptions = *globals;
    *globals = entering->exceptions;
#endif
}

bool take_a_turn(worker& w) noexcept
{
    const unsigned turn = (w.tick + 1) % fairness_tick;
    if (turn == 0 || turn == main_tick)
        return false;
    ++w.tick;
    return true;
}

void dispatch_next(worker& w) noexcept
{
    w.tick = fairness_tick - 1;
}

void release_ended_fibers(worker& w) noexcept
{
    dispatch_next(w);
    boost::fibers::context::active()->yield();
}

// Each one was taken out of the heap before its W is locked here: see timers::arm().
void fire_timers(runtime_state& state) noexcept
{
    std::array<record*, 64> due;
    if (state.timers.next() == never)
        return;
    const time_point time = now();
    for (;;) {
        const std::size_t count = state.timers.take_due(time, due.data(), due.size());
        for (std::size_t i = 0; i < count; ++i)
            settle_if_due(due[i], time);
        if (count < due.size())
            return;
    }
}

} // namespace heddle::fiber
