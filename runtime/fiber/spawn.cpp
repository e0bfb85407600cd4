#include "fiber/spawn.hpp"

#include <heddle/base/error.hpp>
#include <heddle/base/log.hpp>

#include "fiber/runtime_state.hpp"

#include <boost/context/fiber.hpp>
#include <boost/context/stack_context.hpp>
#include <boost/fiber/fiber.hpp>

#include <exception>
#include <mutex>
#include <string>

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

void begin(record& slot, const char* name, std::uint64_t serial) noexcept
{
    spin_lock w(slot.lock);
    slot.alive = true;
    slot.waiting = false;
    slot.outcome = wake::notified;
    slot.context = nullptr;
    slot.reason = "to run";
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

} // namespace

void spawn(const char* name, task what)
{
    worker* const w = this_worker();
    record* const slot = w->state.stacks.take(w->stacks);
    begin(*slot, name, w->state.next_serial.fetch_add(2, std::memory_order_relaxed));
    w->state.fibers.fetch_add(1, std::memory_order_relaxed);
    count_one(w->spawned);
    boost::fibers::fiber(boost::fibers::launch::post, std::allocator_arg, pooled_stack(slot),
                         [slot, name, what] {
                             slot->context = boost::fibers::context::active();
                             run_logged(what, name);
                             end(*slot);
                         })
        .detach();
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
