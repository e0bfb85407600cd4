// A number of permits, handed to waiting fibers in the order in which they came.
#pragma once

#include <heddle/fiber/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace heddle::fiber {

// Releasing hands the permits to the oldest waiter: it has them from that moment, whether its scope ends or
// not. Nobody passes the oldest waiter, however many permits it wants; only try_acquire() does.
// Threads: any fiber of the runtime for acquire() and try_acquire_for(); any thread while the runtime runs
// for the rest, and for giving permits back.
class semaphore
{
public:
    static constexpr std::int64_t max_capacity = INT32_MAX;

    class permit;

    // `name` must outlive the semaphore; the fiber dump shows it.
    // Throws: config_error if `capacity` is negative or above max_capacity.
    explicit semaphore(std::int64_t capacity, const char* name = nullptr);
    // Nobody may wait, and every permit must have been given back.
    ~semaphore();

    semaphore(const semaphore&) = delete;
    semaphore& operator=(const semaphore&) = delete;

    // Takes `count` permits at once.
    // Parks: until they are free and all who came before have theirs.
    // Throws: deadline_exceeded, cancelled; error if `count` is below 1 or above the capacity.
    permit acquire(std::int64_t count = 1);

    // The same for at most `limit`; with zero or less it answers without parking, and never overtakes a
    // waiter.
    std::optional<permit> try_acquire_for(duration limit, std::int64_t count = 1);

    // Takes what is free now, past those who wait: for work that must not park, and for its users to keep
    // rare.
    std::optional<permit> try_acquire(std::int64_t count = 1);

    // A larger capacity wakes waiters. A smaller one takes effect as holders finish; a waiter that wants more
    // than it gets an error.
    // Throws: config_error.
    void resize(std::int64_t capacity);

    std::int64_t capacity() const noexcept;
    std::int64_t available() const noexcept; // 0 while a smaller capacity is being waited for
    std::size_t waiting() const noexcept;

private:
    struct state;

    void give_back(std::int64_t count) noexcept;

    std::unique_ptr<state> state_;
};

// What was taken; gives it back once, when it is destroyed or released. The semaphore must outlive it.
class semaphore::permit
{
public:
    permit() = default;
    permit(permit&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)), count_(std::exchange(other.count_, 0))
    {
    }
    permit& operator=(permit&& other) noexcept
    {
        std::swap(owner_, other.owner_);
        std::swap(count_, other.count_);
        return *this;
    }
    ~permit() { release(); }

    // Gives it back now; does nothing the second time.
    void release() noexcept
    {
        if (auto* owner = std::exchange(owner_, nullptr))
            owner->give_back(std::exchange(count_, 0));
    }

    std::int64_t count() const noexcept { return count_; }
    explicit operator bool() const noexcept { return owner_ != nullptr; }

private:
    friend class semaphore;
    permit(semaphore* owner, std::int64_t count) noexcept : owner_(owner), count_(count) {}

    semaphore* owner_ = nullptr;
    std::int64_t count_ = 0;
};

} // namespace heddle::fiber
