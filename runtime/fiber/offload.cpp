// The meeting of a fiber and the helper thread that works for it.
#include <heddle/fiber/offload.hpp>

#include <heddle/fiber/scope.hpp>

#include "fiber/offload_pool.hpp"
#include "fiber/park.hpp"
#include "fiber/runtime_state.hpp"
#include "fiber/spawn.hpp"

namespace heddle::fiber {

namespace {

struct helped_call : offload_job
{
    void (*call)(void*) noexcept = nullptr;
    void* argument = nullptr;
    spin lock; // guards what follows
    bool done = false;
    record* waiting = nullptr;

    static void perform(offload_job& job) noexcept
    {
        auto& mine = static_cast<helped_call&>(job);
        mine.call(mine.argument);
        {
            const spin_lock lock(mine.lock);
            mine.done = true;
            if (mine.waiting)
                unpark(mine.waiting);
        } // the fiber takes the lock before it leaves: `mine` lives up to here
        outside_work_ended();
    }

    // Parks until it is done. False if the scope has ended first, with `outcome` saying how.
    bool wait(bool interruptible, wake& outcome)
    {
        spin_lock guard(lock);
        while (!done) {
            waiting = self();
            outcome = park(guard, {.reason = "offload", .interruptible = interruptible});
            guard = spin_lock(lock);
            waiting = nullptr;
            if (!done && outcome != wake::notified)
                return false;
        }
        return true;
    }
};

} // namespace

void detail::run_on_helper_thread(void (*run)(void*) noexcept, void* argument)
{
    scope::check_current();
    helped_call mine;
    mine.run = &helped_call::perform;
    mine.call = run;
    mine.argument = argument;

    outside_work_begins();
    try {
        the_offload_pool().submit(mine);
    } catch (...) {
        outside_work_ended();
        throw;
    }

    wake outcome = wake::notified;
    if (mine.wait(true, outcome))
        return;
    if (the_offload_pool().withdraw(mine)) {
        outside_work_ended();
        check(outcome);
    }
    mine.wait(false, outcome); // it runs: its end cannot be hurried
}

} // namespace heddle::fiber
