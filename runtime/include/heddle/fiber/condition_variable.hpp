// Waiting for a condition that another fiber makes true under the same mutex.
#pragma once

#include <heddle/fiber/clock.hpp>
#include <heddle/fiber/mutex.hpp>

#include <condition_variable> // std::cv_status
#include <memory>
#include <mutex>

namespace heddle::fiber {

// The waits unlock the mutex, park, and lock it again. That last step cannot be interrupted: a wait that ends
// by `deadline_exceeded` or `cancelled` still returns with the mutex held. A notification that meets the
// scope's end goes to another waiter, never lost.
class condition_variable
{
public:
    condition_variable();
    ~condition_variable();
    condition_variable(const condition_variable&) = delete;
    condition_variable& operator=(const condition_variable&) = delete;

    // Wakes the fiber that has waited longest. Never parks; the mutex need not be held.
    // Threads: any while the runtime runs.
    void notify_one() noexcept;
    void notify_all() noexcept;

    // Throws: deadline_exceeded, cancelled.
    // Threads: the fiber that has the mutex; so for all that follow.
    void wait(std::unique_lock<mutex>& lock);
    std::cv_status wait_until(std::unique_lock<mutex>& lock, time_point until);
    std::cv_status wait_for(std::unique_lock<mutex>& lock, duration limit)
    {
        return wait_until(lock, after(limit));
    }

    template <class Predicate>
    void wait(std::unique_lock<mutex>& lock, Predicate holds)
    {
        while (!holds())
            wait(lock);
    }

    // Returns: whether the condition holds.
    template <class Predicate>
    bool wait_until(std::unique_lock<mutex>& lock, time_point until, Predicate holds)
    {
        while (!holds())
            if (wait_until(lock, until) == std::cv_status::timeout)
                return holds();
        return true;
    }

    template <class Predicate>
    bool wait_for(std::unique_lock<mutex>& lock, duration limit, Predicate holds)
    {
        return wait_until(lock, after(limit), std::move(holds));
    }

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace heddle::fiber
