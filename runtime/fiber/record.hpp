// What the runtime keeps of one fiber. A record lies at the top of its stack's slot and is type-stable: the
// memory stays a record when the fiber has ended, so a late timer or a dump may look at it. Everything marked
// W is guarded by `lock`.
#pragma once

#include <heddle/fiber/clock.hpp>

#include "fiber/park.hpp"
#include "fiber/spawn.hpp"
#include "fiber/spin.hpp"

#include <atomic>
#include <cstdint>
#include <vector>

namespace boost::fibers {
class context;
}

namespace heddle::fiber {

class scope;
struct worker;
struct runtime_state;

// What the C++ runtime keeps of the exceptions in flight: the layout of __cxa_eh_globals (Itanium C++
// ABI, 2.2.2).
struct exception_state
{
    void* caught = nullptr;
    unsigned int uncaught = 0;
};

// A permit or a lease that a fiber has: for re-entry checks and the dump.
struct held
{
    const void* what;
    const char* label; // outlives the hold
    std::uint64_t token;
};

struct alignas(64) record
{
    spin lock;                                 // W
    bool alive = false;                        // W
    bool waiting = false;                      // W: parked and not settled
    bool interruptible = false;                // W
    bool has_guard = true;                     // constant for the slot
    bool computes = false;                     // the fiber's own, for who makes it ready: on a compute worker
    wake outcome = wake::notified;             // W until settled, then the fiber's
    boost::fibers::context* context = nullptr; // the fiber's own, set before it first runs user code
    worker* home = nullptr;                    // only for a worker's main context: where it must run
    time_point caller_until = never;           // W
    time_point until = never;                  // W: the earlier of caller_until and the scope's deadline
    const char* reason = nullptr;              // W
    const char* name = nullptr;                // W
    scope* innermost = nullptr; // W for writers and for other threads; the fiber reads it freely
    record* parent = nullptr;   // the fiber that waits for this one; lives longer
    const char* task_name = nullptr;
    std::uint64_t serial = 0; // W: which fiber of this slot
    time_point born = never;
    std::vector<held> holds;                       // W
    void (*before_park)(void*) noexcept = nullptr; // the fiber's own
    void* before_park_argument = nullptr;
    exception_state exceptions;      // the fiber's, while it does not run
    const char* next_name = nullptr; // the fiber's own: what follow() was told
    task next;
    std::atomic<time_point> armed = never; // written under the timers' lock: when its timer fires
    std::uint32_t heap_index = no_index;   // under the timers' lock
    static constexpr std::uint32_t no_index = 0xffffffff;
};

// Remembers that the calling fiber has `what`; the token takes it back, from any thread.
struct hold_token
{
    record* fiber = nullptr;
    std::uint64_t serial = 0;
    std::uint64_t token = 0;
};
hold_token hold(const void* what, const char* label);
void release_hold(const hold_token& token) noexcept;
// Whether the calling fiber, or a fiber that waits for it, has `what`.
bool held_by_me_or_ancestor(const void* what) noexcept;

} // namespace heddle::fiber
