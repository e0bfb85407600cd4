#include "fiber/spawn.hpp"

#include <heddle/base/error.hpp>
#include <heddle/base/log.hpp>

#include "fiber/local_data.hpp"
#include "fiber/runtime_state.hpp"

#include <boost/context/fiber.hpp>
#include <boost/context/stack_context.hpp>
#include <boost/fiber/fiber.hpp>

#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include <ctime>

namespace heddle::fiber {

namespace {

// Boost's idea of where stacks come from. The slot was taken before the fiber is made.
class pooled_stack
{
public:
    explicit pooled_stack(record* slot) noexcept : slot_(slot) {}

    boost::context::stack_context allocate()
    {
        boost::context::stack_context stack;
        stack.size = the_runtime()->stacks.usable();
        stack.sp = slot_;
        return stack;
    }

    void deallocate(boost::context::stack_context& stack) noexcept
    {
        worker* const w = this_worker();
        w->state.stacks.give_back(static_cast<record*>(stack.sp), w->stacks);
    }

private:
    record* slot_;
};

// Why an exception left a fiber, as a text; taken in the catch block, used outside it.
std::string describe_current_exception()
{
    try {
        throw;
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "an exception that is no std::exception";
    }
}

void run_logged(task what, const char* name)
{
    std::string failure;
    try {
        return what.run(what.argument);
    } catch (const boost::context::detail::forced_unwind&) {
        throw;
    } catch (const cancelled&) {
        return; // as it should be: its runtime ends
    } catch (...) {
        failure = describe_current_exception();
    }
    log::error("an exception left a fiber", {{"fiber", name}, {"cause", failure}});
}

// For the dump's ages only, so the last timer tick is near enough, and a sixth of the cost.
time_point roughly_now() noexcept
{
    if (the_runtime()->virtual_time)
        return now();
    timespec tick{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &tick);
    return time_point(std::chrono::seconds(tick.tv_sec) + std::chrono::nanoseconds(tick.tv_nsec));
}

void begin(record& slot, const char* name, boost::fibers::context* context) noexcept
{
    worker& here = *this_worker();
    count_one(here.spawned);
    const std::uint64_t serial = here.state.next_serial.fetch_add(2, std::memory_order_relaxed);
    spin_lock w(slot.lock);
    slot.alive = true;
    slot.waiting = false;
    slot.computes = false;
    slot.outcome = wake::notified;
    slot.context = context;
    slot.reason = nullptr;
    slot.name = nullptr;
    slot.innermost = nullptr;
    slot.parent = nullptr;
    slot.task_name = name;
    slot.serial = serial;
    slot.born = roughly_now();
    slot.holds.clear();
    slot.before_park = nullptr;
    slot.exceptions = {};
}

// The runtime may be gone as soon as the last fiber has been counted: nothing is touched after that.
void end(record& slot) noexcept
{
    {
        spin_lock w(slot.lock);
        slot.alive = false;
        ++slot.serial;
    }
    runtime_state& state = *the_runtime();
    if (state.fibers.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        std::lock_guard guard(state.ended_mutex);
        state.ended.notify_all();
    }
}

// Those who wait behind this fiber must not wait for all that follow it: no more than so many, and for one
// tick of the coarse clock, which every one that follows is born in.
constexpr unsigned most_in_a_row = 16;

bool may_begin_here(const record& slot, time_point first_born, unsigned in_a_row) noexcept
{
    return in_a_row < most_in_a_row && roughly_now() == first_born && !has_local_data(*slot.context) &&
           take_a_turn(*this_worker());
}

bool queue_up(const char* name, task what) noexcept
{
    try {
        spawn(name, what);
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

// Without memory for another stack it begins on this one after all; but never among this fiber's local data.
bool began_elsewhere(const record& slot, const char* name, task what)
{
    while (!queue_up(name, what)) {
        if (!has_local_data(*slot.context))
            return false;
        yield();
    }
    return true;
}

// One fiber after the other on one stack: see follow().
void run_all(record& slot, const char* name, task what)
{
    const time_point first_born = slot.born;
    for (unsigned in_a_row = 1;; ++in_a_row) {
        run_logged(what, name);
        what = std::exchange(slot.next, {});
        name = slot.next_name;
        if (!what.run)
            return;
        if (slot.computes) // nothing ever moved it back; that was this fiber's matter, not the next one's
            move_to_normal_worker();
        if (!may_begin_here(slot, first_born, in_a_row) && began_elsewhere(slot, name, what))
            return;
        begin(slot, name, slot.context);
    }
}

} // namespace

void spawn(const char* name, task what)
{
    worker* const w = this_worker();
    record* const slot = w->state.stacks.take(w->stacks);
    begin(*slot, name, nullptr);
    w->state.fibers.fetch_add(1, std::memory_order_relaxed);
    boost::fibers::fiber(boost::fibers::launch::post, std::allocator_arg, pooled_stack(slot),
                         [slot, name, what] {
                             slot->context = boost::fibers::context::active();
                             run_all(*slot, name, what);
                             end(*slot);
                         })
        .detach();
}

void follow(const char* name, task what) noexcept
{
    record& mine = *self();
    mine.next_name = name;
    mine.next = what;
}

void outside_work_begins() noexcept
{
    the_runtime()->outside.fetch_add(1, std::memory_order_acq_rel);
}

void outside_work_ended() noexcept
{
    the_runtime()->outside.fetch_sub(1, std::memory_order_acq_rel);
}

} // namespace heddle::fiber
