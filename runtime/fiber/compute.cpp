// Moving the fiber itself, rather than handing the work to another thread, keeps its scope, its permits and
// its stack.
#include <heddle/fiber/compute.hpp>

#include <heddle/fiber/scope.hpp>

#include "fiber/runtime_state.hpp"
#include "fiber/spawn.hpp"

namespace heddle::fiber {

// It waits for the permit, and not in the workers' queue, because that wait ends with the scope. Who has a
// permit queues behind long reads at most, which take turns.
semaphore::permit detail::begin_compute()
{
    scope::check_current();
    if (!may_move_to_compute_worker())
        return {};
    semaphore::permit place = the_runtime()->computations.acquire();
    move_to_compute_worker();
    const scope* const mine = scope::current();
    if (mine && mine->has_ended()) { // while it queued behind them
        end_compute(place);
        mine->check();
    }
    return place;
}

void detail::end_compute(semaphore::permit& place) noexcept
{
    if (!place)
        return;
    move_to_normal_worker();
    place.release();
}

} // namespace heddle::fiber
