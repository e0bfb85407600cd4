#include "fiber/park.hpp"

#include <heddle/base/error.hpp>
#include <heddle/fiber/scope.hpp>

#include "fiber/runtime_state.hpp"
#include "fiber/settle.hpp"
#include "fiber/spawn.hpp"

#include <boost/fiber/context.hpp>
#include <boost/fiber/scheduler.hpp>

#include <cassert>
#include <cxxabi.h>
#include <exception>
#include <mutex>
#include <utility>

namespace heddle::fiber {

namespace {

namespace bf = boost::fibers;

[[maybe_unused]] bool no_exception_in_flight() noexcept
{
    const auto* const globals = reinterpret_cast<const exception_state*>(abi::__cxa_get_globals());
    return globals->caught == nullptr && globals->uncaught == 0;
}

// Leaves this fiber; `lock` is released by the next context, when nothing runs on our stack any more. From
// then on any worker may resume us. The lock object moves to the worker first: unlock() writes to it after it
// has released, and by then our frame may be in use elsewhere.
[[gnu::noinline]] void switch_away(spin_lock& lock) noexcept
{
    bf::context* const me = bf::context::active();
    bf::scheduler* const scheduler = me->get_scheduler();
    if (me->is_context(bf::type::worker_context))
        scheduler->detach_worker_context(me);
    spin_lock& handoff = this_worker()->handoff;
    handoff = std::move(lock);
    scheduler->suspend(handoff);
}

bool scope_is_cancelled(const record& fiber) noexcept
{
    if (fiber.innermost)
        return fiber.innermost->is_cancelled();
    return the_runtime()->ending.load(std::memory_order_seq_cst);
}

// Why a wait that begins now would end at once; or nothing.
bool already_over(const record& me, const park_options& options, time_point until, wake& outcome) noexcept
{
    if (options.interruptible && scope_is_cancelled(me)) {
        outcome = wake::cancelled;
        return true;
    }
    if (until == never || now() < until)
        return false;
    outcome = until == options.until ? wake::timed_out : wake::deadline;
    return true;
}

} // namespace

[[gnu::noinline]] record* self() noexcept
{
    worker* const w = this_worker();
    return w ? w->running : nullptr;
}

wake park(spin_lock& queue_lock, const park_options& options)
{
    assert(no_exception_in_flight() && "a fiber must not park in a catch block or while unwinding");
    record* const me = self();
    time_point until = options.until;
    if (options.interruptible && me->innermost)
        until = std::min(until, me->innermost->deadline());

    spin_lock w(me->lock); // L before W
    wake outcome{};
    if (already_over(*me, options, until, outcome)) {
        w.unlock();
        queue_lock.unlock();
        return outcome;
    }
    me->waiting = true;
    me->interruptible = options.interruptible;
    me->caller_until = options.until;
    me->until = until;
    me->reason = options.reason;
    me->name = options.name;
    runtime_state& state = *the_runtime();
    const bool earliest = until != never && state.timers.arm(me, until);
    queue_lock.unlock();
    if (earliest)
        wake_sleeper(state); // whose alarm is set later than this
    if (auto* const hook = std::exchange(me->before_park, nullptr))
        hook(me->before_park_argument); // W keeps waiting who wants to wake this fiber, and nobody else
    switch_away(w);
    return me->outcome;
}

wake park_alone(const park_options& options)
{
    spin nobody;
    spin_lock lock(nobody);
    return park(lock, options);
}

// Only the one who finds `waiting` set makes the fiber ready, so it is made ready once. W is free only when
// the fiber has switched away wholly.
bool unpark(record* fiber) noexcept
{
    {
        spin_lock w(fiber->lock);
        if (!fiber->waiting)
            return false;
        fiber->waiting = false;
        fiber->outcome = wake::notified;
    }
    make_ready(fiber);
    return true;
}

bool cancel_wait(record* fiber, const scope* within) noexcept
{
    {
        spin_lock w(fiber->lock);
        if (!fiber->waiting || !fiber->interruptible || (within && fiber->innermost != within))
            return false;
        if (!scope_is_cancelled(*fiber)) // shielded
            return false;
        fiber->waiting = false;
        fiber->outcome = wake::cancelled;
    }
    make_ready(fiber);
    return true;
}

void settle_if_due(record* fiber, time_point time) noexcept
{
    {
        spin_lock w(fiber->lock);
        if (!fiber->waiting || fiber->until == never)
            return;
        if (fiber->until > time) {
            runtime_state& state = *the_runtime();
            if (state.timers.arm(fiber, fiber->until))
                wake_sleeper(state); // it may have set its alarm while the entry was out of the heap
            return;
        }
        fiber->waiting = false;
        fiber->outcome = fiber->until == fiber->caller_until ? wake::timed_out : wake::deadline;
    }
    make_ready(fiber);
}

void set_before_park(void (*f)(void*) noexcept, void* argument) noexcept
{
    record* const me = self();
    me->before_park = f;
    me->before_park_argument = argument;
}

bool check(wake outcome)
{
    if (outcome == wake::cancelled)
        throw cancelled();
    if (outcome == wake::deadline)
        throw deadline_exceeded();
    return outcome == wake::notified;
}

void sleep_for(duration d)
{
    if (d <= duration::zero())
        return scope::check_current();
    check(park_alone({.reason = "sleep", .until = after(d)}));
}

} // namespace heddle::fiber
