// The one way to sleep. A fiber that waits for another fiber is published in some queue under a spin lock;
// park() switches away and the queue's lock is already free by then. Whoever takes the fiber out of the queue
// settles it.
//
//   L   the queue's lock (each semaphore, mutex, ... has its own)
//   W   the fiber's lock, in its record; always taken after L, and after a scope tree's lock
//
// A park is settled exactly once, under W: by unpark(), by its time, or by its scope's end. The losers see
// that the fiber does not wait any more and leave it alone, so a grant is never lost and never given twice.
#pragma once

#include <heddle/fiber/clock.hpp>

#include "fiber/spin.hpp"

namespace heddle::fiber {

struct record;

enum class wake
{
    notified,  // somebody called unpark()
    timed_out, // `until` has come
    deadline,  // the scope's deadline has come
    cancelled, // the scope was cancelled
};

struct park_options
{
    const char* reason;         // for the fiber dump: a string literal, "semaphore"
    const char* name = nullptr; // which one: must outlive the park
    time_point until = never;   // a time-out of the caller's own
    bool interruptible = true;  // false: neither the scope's end nor its deadline wake it
};

// The calling fiber's record: what is published in a queue.
record* self() noexcept;

// Parks the calling fiber. `queue_lock` is held on entry and released by the time it sleeps, and not held on
// return. The caller takes itself out of the queue unless it was notified. Asserts: not in a catch block, not
// while unwinding.
wake park(spin_lock& queue_lock, const park_options& options);

// The same for a fiber that is in no queue: only its time and its scope wake it.
wake park_alone(const park_options& options);

// Settles `fiber` as notified and makes it ready. False if it is settled already (timed out, cancelled): then
// whatever was to be handed to it is still the caller's. Call with the queue's lock held; the fiber cannot
// leave its queue without that lock.
bool unpark(record* fiber) noexcept;

// `f(argument)` is called once, when this fiber parks next, just before it leaves. Its W is held by then, and
// no other lock: `f` does not park, and touches neither this fiber's scope nor what could wake this fiber.
// nullptr takes it back.
void set_before_park(void (*f)(void*) noexcept, void* argument) noexcept;

// Throws deadline_exceeded or cancelled for those two; returns true for notified, false for timed_out.
bool check(wake outcome);

} // namespace heddle::fiber
