// Says that a fiber has something that others wait for: so that taking it a second time is an error instead
// of a deadlock, and so that the fiber dump can name it.
#pragma once

#include <cstdint>
#include <utility>

namespace heddle::fiber {

// Noted on the fiber that makes it; may be moved to, and ends on, any other.
class holding
{
public:
    holding() = default;
    // `label` must outlive it.
    holding(const void* what, const char* label);
    holding(holding&& other) noexcept
        : fiber_(std::exchange(other.fiber_, nullptr)), serial_(other.serial_), token_(other.token_)
    {
    }
    holding& operator=(holding&& other) noexcept
    {
        std::swap(fiber_, other.fiber_);
        std::swap(serial_, other.serial_);
        std::swap(token_, other.token_);
        return *this;
    }
    ~holding() { end(); }

    void end() noexcept;

private:
    void* fiber_ = nullptr; // the fiber's record
    std::uint64_t serial_ = 0;
    std::uint64_t token_ = 0;
};

// Whether the calling fiber has `what`, or a fiber that waits for it in all() or a task_group. Siblings do
// not count.
bool is_held_here(const void* what) noexcept;

} // namespace heddle::fiber
