// Takes every permit that something has left, so that a test sees what is answered when nothing is left.
#pragma once

#include <heddle/fiber/gate.hpp>
#include <heddle/fiber/semaphore.hpp>

#include <optional>

namespace heddle::testing {

class hold
{
public:
    // Until the end of its life, `gate` is full. What is inside already stays. `gate` must outlive it.
    explicit hold(fiber::gate& gate) : slots_(all_of(gate.slots_)), turns_(all_of(gate.turns_)) {}

private:
    static fiber::semaphore::permit all_of(fiber::semaphore& semaphore)
    {
        const auto available = semaphore.available();
        if (available == 0)
            return {};
        auto taken = semaphore.try_acquire(available);
        return taken ? *std::move(taken) : fiber::semaphore::permit();
    }

    fiber::semaphore::permit slots_; // given back last, like a gate's own
    fiber::semaphore::permit turns_;
};

} // namespace heddle::testing
