// Mutual exclusion for fibers: a waiting fiber leaves its thread to others. Use it with std::lock_guard and
// std::unique_lock.
#pragma once

#include <memory>

namespace heddle::fiber {

// A fiber that comes while the mutex is free takes it, even past those that wait: handing it over would be
// four times slower under contention. Where the order matters, use a semaphore of one permit. May be held
// while parking. Belongs to the fiber that locked it, wherever that runs.
class mutex
{
public:
    mutex();
    ~mutex();
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;

    // Parks: until it is free.
    // Throws: deadline_exceeded, cancelled; error if this fiber has it already, and outside the runtime.
    // Threads: any fiber of the runtime.
    void lock();

    // Takes it if it is free, and the caller is a fiber.
    bool try_lock() noexcept;

    // Threads: the fiber that has it.
    void unlock() noexcept;

private:
    friend class condition_variable;
    struct state;

    // Parks until it is free, whatever happens to the scope.
    void lock_uninterruptibly();

    std::unique_ptr<state> state_;
};

} // namespace heddle::fiber
