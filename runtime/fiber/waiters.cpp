// A doubly linked list, so that a waiter that has ended by itself leaves from the middle at once.
#include "fiber/waiters.hpp"

namespace heddle::fiber {

wake waiters::wait(waiter& me, spin_lock& lock, const park_options& options, place where)
{
    spin& mutex = *lock.mutex();
    me.fiber = self();
    insert(me, where);
    const wake outcome = park(lock, options);
    lock = spin_lock(mutex);
    if (me.queued)
        remove(me);
    return outcome;
}

bool waiters::wake_up(waiter& who) noexcept
{
    remove(who);
    return unpark(who.fiber);
}

bool waiters::wake_one() noexcept
{
    while (first_)
        if (wake_up(*first_))
            return true;
    return false;
}

void waiters::wake_all() noexcept
{
    while (wake_one()) {
    }
}

void waiters::insert(waiter& who, place where) noexcept
{
    who.previous = where == place::back ? last_ : nullptr;
    who.next = where == place::back ? nullptr : first_;
    (who.previous ? who.previous->next : first_) = &who;
    (who.next ? who.next->previous : last_) = &who;
    who.queued = true;
    ++size_;
}

void waiters::remove(waiter& who) noexcept
{
    (who.previous ? who.previous->next : first_) = who.next;
    (who.next ? who.next->previous : last_) = who.previous;
    who.queued = false;
    --size_;
}

} // namespace heddle::fiber
