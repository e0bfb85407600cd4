// Decides who may run and who may wait: `running` at a time, `waiting` more in a queue, everybody else is
// refused at once. A pair of semaphores: `slots` has running + waiting permits and is only ever tried;
// `turns` has `running` and is waited for in order.
#pragma once

#include <heddle/fiber/clock.hpp>
#include <heddle/fiber/holding.hpp>
#include <heddle/fiber/semaphore.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace heddle::testing {
class hold;
}

namespace heddle::fiber {

enum class gate_event
{
    admitted,  // has a slot: it runs or queues
    running,   // has its turn
    finished,  // has given both back
    full,      // refused at once
    timed_out, // its time in the queue was over, or its scope's
    cancelled, // its scope was cancelled before its turn came
};

struct gate_options
{
    std::string name = "gate";
    std::int64_t running = 16;                     // at once; at least 1
    std::int64_t waiting = 0;                      // in the queue
    duration queue_wait = std::chrono::seconds(1); // longest time in the queue
    std::function<void(gate_event)> on_event = {}; // never parks, never throws; called on the fiber concerned
};

struct gate_statistics
{
    std::uint64_t entered = 0; // had their turn
    std::uint64_t full = 0;
    std::uint64_t timed_out = 0;
    std::uint64_t cancelled = 0;
    std::int64_t in_flight = 0; // running now
    std::int64_t queued = 0;    // waiting now
};

// Threads: any fiber of the runtime for enter() and run(); any thread while the runtime runs for the rest,
// and for giving permits back.
class gate
{
public:
    class permit;

    // Throws: config_error, naming every wrong field.
    explicit gate(gate_options options);

    gate(const gate&) = delete;
    gate& operator=(const gate&) = delete;

    // Parks: for its turn, for at most `queue_wait`.
    // Throws: overloaded (full: at once; timed_out: by `queue_wait` or the scope's deadline); cancelled;
    // error if this fiber, or one that waits for it, has a permit of this gate already: it would wait for
    // itself.
    permit enter();

    // Runs `body` with a permit.
    // Throws: what enter() throws, what `body` throws; error, and takes no permit, if `body` is an empty
    // function.
    template <class Body>
    decltype(auto) run(Body&& body);

    // Raising lets waiters go on; lowering takes effect as holders finish. Throws: config_error.
    void resize(std::int64_t running, std::int64_t waiting);
    // For those who come from now on. Throws: config_error.
    void set_queue_wait(duration queue_wait);

    const std::string& name() const noexcept { return options_.name; }
    gate_statistics statistics() const noexcept;

    // The two halves, to look at.
    const semaphore& slots() const noexcept { return slots_; }
    const semaphore& turns() const noexcept { return turns_; }

private:
    friend class heddle::testing::hold;

    semaphore::permit wait_for_turn(duration& waited);
    void tell(gate_event event) const;
    [[noreturn]] void refuse_full();
    [[noreturn]] void refuse_late();
    [[noreturn]] static void refuse_empty(const std::string& name);

    const gate_options options_;
    semaphore slots_;
    semaphore turns_;
    std::atomic<duration> queue_wait_;
    std::atomic<std::uint64_t> entered_ = 0;
    std::atomic<std::uint64_t> full_ = 0;
    std::atomic<std::uint64_t> timed_out_ = 0;
    std::atomic<std::uint64_t> cancelled_ = 0;
    std::atomic<std::int64_t> in_flight_ = 0;
};

// The right to run. Keep it until the work has really ended, not until somebody has stopped waiting for it.
// Gives back first the turn, then the slot, once; the gate must outlive it.
class gate::permit
{
public:
    permit() = default;
    permit(permit&& other) noexcept
        : gate_(std::exchange(other.gate_, nullptr)),
          slot_(std::move(other.slot_)),
          turn_(std::move(other.turn_)),
          holding_(std::move(other.holding_)),
          waited_(other.waited_)
    {
    }
    permit& operator=(permit&& other) noexcept;
    ~permit() { release(); }

    void release() noexcept;

    // How long it was queued.
    duration waited() const noexcept { return waited_; }
    explicit operator bool() const noexcept { return gate_ != nullptr; }

private:
    friend class gate;

    gate* gate_ = nullptr;
    semaphore::permit slot_;
    semaphore::permit turn_;
    holding holding_;
    duration waited_ = duration::zero();
};

template <class Body>
decltype(auto) gate::run(Body&& body)
{
    if constexpr (requires { body == nullptr; })
        if (body == nullptr)
            refuse_empty(options_.name);
    const permit mine = enter();
    return std::forward<Body>(body)();
}

} // namespace heddle::fiber
