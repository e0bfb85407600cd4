// Moving the fiber itself, rather than handing the work to another thread, keeps its scope, its permits and
// its stack.
#include <heddle/fiber/compute.hpp>

#include <heddle/fiber/scope.hpp>

#include "fiber/spawn.hpp"

namespace heddle::fiber {

bool detail::begin_compute()
{
    scope::check_current();
    if (on_compute_worker())
        return false;
    move_to_compute_worker();
    const scope* const mine = scope::current();
    if (mine && mine->has_ended()) { // while it queued for a worker
        end_compute();
        mine->check();
    }
    return true;
}

void detail::end_compute() noexcept
{
    move_to_normal_worker();
}

} // namespace heddle::fiber
