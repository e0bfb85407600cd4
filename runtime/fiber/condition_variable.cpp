// A queue of fibers. The waiter is published before the mutex is unlocked, so no notification passes between
// the two.
#include <heddle/fiber/condition_variable.hpp>

#include <heddle/fiber/scope.hpp>

#include "fiber/waiters.hpp"

#include <cassert>

namespace heddle::fiber {

struct condition_variable::state
{
    spin lock; // taken before the mutex's own
    waiters queue;
};

condition_variable::condition_variable() : state_(std::make_unique<state>()) {}

condition_variable::~condition_variable()
{
    assert(state_->queue.empty());
}

void condition_variable::notify_one() noexcept
{
    const spin_lock guard(state_->lock);
    state_->queue.wake_one();
}

void condition_variable::notify_all() noexcept
{
    const spin_lock guard(state_->lock);
    state_->queue.wake_all();
}

void condition_variable::wait(std::unique_lock<mutex>& lock)
{
    wait_until(lock, never);
}

std::cv_status condition_variable::wait_until(std::unique_lock<mutex>& lock, time_point until)
{
    assert(lock.owns_lock());
    scope::check_current();
    // Unlocked behind `lock`'s back: its flag would be cleared after the mutex is free, when others may
    // already run.
    mutex& mine = *lock.mutex();

    spin_lock guard(state_->lock);
    mine.unlock();
    waiter me;
    const wake outcome = state_->queue.wait(me, guard, {.reason = "condition variable", .until = until});
    guard.unlock();

    mine.lock_uninterruptibly();
    return check(outcome) ? std::cv_status::no_timeout : std::cv_status::timeout;
}

} // namespace heddle::fiber
