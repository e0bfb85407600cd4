// The fibers that wait in one place, oldest first. What the semaphore, the mutex, the condition variable and
// the pool have in common: a waiter is settled once, by whoever wakes it or by its own end, and leaves no
// place behind.
#pragma once

#include "fiber/park.hpp"
#include "fiber/spin.hpp"

#include <cstddef>

namespace heddle::fiber {

// One waiting fiber; lies on its stack while it waits. Derive from it for what is handed over.
struct waiter
{
    record* fiber = nullptr;
    waiter* previous = nullptr;
    waiter* next = nullptr;
    bool queued = false;
};

// Everything here is called with the owner's lock held.
class waiters
{
public:
    enum class place
    {
        back,
        front
    };

    waiters() = default;
    waiters(const waiters&) = delete;
    waiters& operator=(const waiters&) = delete;

    bool empty() const noexcept { return !first_; }
    std::size_t size() const noexcept { return size_; }
    waiter* front() const noexcept { return first_; }

    // Queues `me` and parks. `lock` is held on entry and again on return: so whoever woke us has finished
    // with the owner, and the owner may be destroyed next. `me` is not queued any more.
    wake wait(waiter& me, spin_lock& lock, const park_options& options, place where = place::back);

    // Takes `who` out of the queue and wakes it. False if it has ended by itself: nothing was handed over.
    // After true, `who` is gone.
    bool wake_up(waiter& who) noexcept;

    // Wakes the oldest that still waits. False if nobody does.
    bool wake_one() noexcept;
    void wake_all() noexcept;

private:
    void insert(waiter& who, place where) noexcept;
    void remove(waiter& who) noexcept;

    waiter* first_ = nullptr;
    waiter* last_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace heddle::fiber
