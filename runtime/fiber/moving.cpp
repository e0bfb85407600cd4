// A fiber that goes on elsewhere: behind the others that are ready, or on the other kind of worker.
#include "fiber/runtime_state.hpp"
#include "fiber/settle.hpp"

#include <boost/fiber/context.hpp>
#include <boost/fiber/scheduler.hpp>

#include <utility>

namespace heddle::fiber {

namespace {

namespace bf = boost::fibers;

constexpr duration longest_blindness = std::chrono::milliseconds(1);

// Puts the calling fiber into `queue` and leaves; the queue's lock is released when it has left. No worker of
// this kind takes from a queue of the other kind, so nobody here waits for that lock meanwhile.
[[gnu::noinline]] void continue_in(worker* w, ready_queue& queue,
                                   void (*wake)(runtime_state&) noexcept) noexcept
{
    bf::context* const me = bf::context::active();
    spin_lock lock(queue.lock());
    bf::scheduler* const scheduler = me->get_scheduler();
    scheduler->detach_worker_context(me);
    queue.push_locked(me);
    wake(w->state);
    w->handoff = std::move(lock);
    scheduler->suspend(w->handoff);
}

[[gnu::noinline]] void look_outside_if_long_ago() noexcept
{
    worker* const w = this_worker();
    if (!w || w->computes || w->state.virtual_time)
        return;
    const time_point time = now();
    if (time < w->next_look)
        return;
    w->next_look = time + longest_blindness;
    dispatch_next(*w);
}

} // namespace

// Who yields computes for long: the descriptors and the timers are looked at by time then, not once in so
// many switches.
void yield()
{
    look_outside_if_long_ago();
    bf::context::active()->yield();
}

[[gnu::noinline]] bool on_compute_worker() noexcept
{
    const worker* const w = this_worker();
    return w && w->computes;
}

[[gnu::noinline]] bool may_move_to_compute_worker() noexcept
{
    const worker* const w = this_worker();
    return w && !w->computes && w->state.options.compute_workers > 0 && !w->running->home &&
           bf::context::active()->is_context(bf::type::worker_context);
}

[[gnu::noinline]] void move_to_compute_worker() noexcept
{
    if (!may_move_to_compute_worker())
        return;
    worker* const w = this_worker();
    w->running->computes = true;
    continue_in(w, w->state.computing, wake_compute_worker);
}

[[gnu::noinline]] void move_to_normal_worker() noexcept
{
    worker* const w = this_worker();
    if (!w || !w->computes)
        return;
    w->running->computes = false;
    continue_in(w, w->state.injected, wake_sleeper);
}

} // namespace heddle::fiber
