// Barging: unlock() frees the mutex and wakes the oldest waiter, which competes with newcomers and, if it
// loses, keeps its place at the head.
#include <heddle/fiber/mutex.hpp>

#include <heddle/base/error.hpp>
#include <heddle/fiber/scope.hpp>

#include "fiber/waiters.hpp"

#include <cassert>

namespace heddle::fiber {

struct mutex::state
{
    spin lock;
    waiters queue;
    record* owner = nullptr;

    // Parks until the mutex is ours. Returns what ended the wait; it is ours only after `notified`.
    wake take(bool interruptible)
    {
        spin_lock guard(lock);
        auto place = waiters::place::back;
        while (owner) {
            waiter me;
            const park_options options{.reason = "mutex", .interruptible = interruptible};
            const wake outcome = queue.wait(me, guard, options, place);
            if (outcome != wake::notified)
                return outcome;
            place = waiters::place::front;
        }
        owner = self();
        return wake::notified;
    }

    bool is_mine() noexcept
    {
        const spin_lock guard(lock);
        return owner == self();
    }
};

mutex::mutex() : state_(std::make_unique<state>()) {}

mutex::~mutex()
{
    assert(!state_->owner && state_->queue.empty());
}

void mutex::lock()
{
    if (!self())
        throw error(kind::internal, "mutex: this thread runs no fibers, and cannot wait for one");
    scope::check_current();
    if (state_->is_mine())
        throw error(kind::internal, "mutex: this fiber has locked it already");
    check(state_->take(true));
}

void mutex::lock_uninterruptibly()
{
    state_->take(false);
}

bool mutex::try_lock() noexcept
{
    record* const me = self();
    const spin_lock guard(state_->lock);
    if (state_->owner || !me)
        return false;
    state_->owner = me;
    return true;
}

void mutex::unlock() noexcept
{
    const spin_lock guard(state_->lock);
    assert(state_->owner == self());
    state_->owner = nullptr;
    state_->queue.wake_one();
}

} // namespace heddle::fiber
