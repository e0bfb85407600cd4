// One count and one queue under one spin lock. Permits go to the head of the queue under that lock, so a
// newcomer never finds free permits while somebody waits for as few.
#include <heddle/fiber/semaphore.hpp>

#include <heddle/base/error.hpp>
#include <heddle/fiber/scope.hpp>

#include "fiber/waiters.hpp"

#include <algorithm>
#include <cassert>
#include <string>

namespace heddle::fiber {

namespace {

// A waiter, what it wants, and what became of it.
struct claim : waiter
{
    std::int64_t count = 0;
    bool granted = false;
    bool refused = false; // the capacity has become smaller than what it wants
};

void check_capacity(std::int64_t capacity)
{
    if (capacity < 0 || capacity > semaphore::max_capacity)
        throw config_error("semaphore: capacity " + std::to_string(capacity) + " must be between 0 and " +
                           std::to_string(semaphore::max_capacity));
}

[[noreturn]] void refuse(std::int64_t count, std::int64_t capacity)
{
    throw error(kind::internal, "semaphore: " + std::to_string(count) + " permits can never be had of " +
                                    std::to_string(capacity));
}

} // namespace

struct semaphore::state
{
    mutable spin lock;
    waiters queue;
    std::int64_t capacity = 0;
    std::int64_t taken = 0; // more than the capacity after it was lowered
    const char* name = nullptr;

    bool fits(std::int64_t count) const noexcept { return count <= capacity - taken; }

    // Hands over from the head for as long as the head fits. A head that has ended by itself is passed over:
    // otherwise those behind it would sleep though a permit is free.
    void hand_over() noexcept
    {
        while (auto* head = static_cast<claim*>(queue.front())) {
            const auto count = head->count;
            if (count <= capacity && !fits(count))
                return;
            head->granted = count <= capacity;
            head->refused = !head->granted;
            if (queue.wake_up(*head))
                taken += count <= capacity ? count : 0;
            else
                head->granted = head->refused = false;
        }
    }
};

semaphore::semaphore(std::int64_t capacity, const char* name) : state_(std::make_unique<state>())
{
    check_capacity(capacity);
    state_->capacity = capacity;
    state_->name = name;
}

semaphore::~semaphore()
{
    assert(state_->queue.empty() && state_->taken == 0);
}

std::optional<semaphore::permit> semaphore::try_acquire(std::int64_t count)
{
    const spin_lock lock(state_->lock);
    if (count < 1)
        refuse(count, state_->capacity);
    if (!state_->fits(count))
        return std::nullopt;
    state_->taken += count;
    return permit(this, count);
}

std::optional<semaphore::permit> semaphore::try_acquire_for(duration limit, std::int64_t count)
{
    scope::check_current();
    auto& s = *state_;
    spin_lock lock(s.lock);
    if (count < 1 || count > s.capacity)
        refuse(count, s.capacity);
    if (s.queue.empty() && s.fits(count)) {
        s.taken += count;
        return permit(this, count);
    }
    if (limit <= duration::zero())
        return std::nullopt;

    claim me;
    me.count = count;
    const wake outcome =
        s.queue.wait(me, lock, {.reason = "semaphore", .name = s.name, .until = after(limit)});
    if (me.granted)
        return permit(this, count);
    s.hand_over(); // we may have been a large head before small claims that fit
    const auto capacity = s.capacity;
    lock.unlock();

    if (me.refused)
        refuse(count, capacity);
    check(outcome);
    return std::nullopt;
}

semaphore::permit semaphore::acquire(std::int64_t count)
{
    auto taken = try_acquire_for(duration::max(), count);
    assert(taken);
    return *std::move(taken);
}

void semaphore::give_back(std::int64_t count) noexcept
{
    const spin_lock lock(state_->lock);
    state_->taken -= count;
    state_->hand_over();
}

void semaphore::resize(std::int64_t capacity)
{
    check_capacity(capacity);
    const spin_lock lock(state_->lock);
    state_->capacity = capacity;
    state_->hand_over();
}

std::int64_t semaphore::capacity() const noexcept
{
    const spin_lock lock(state_->lock);
    return state_->capacity;
}

std::int64_t semaphore::available() const noexcept
{
    const spin_lock lock(state_->lock);
    return std::max<std::int64_t>(0, state_->capacity - state_->taken);
}

std::size_t semaphore::waiting() const noexcept
{
    const spin_lock lock(state_->lock);
    return state_->queue.size();
}

} // namespace heddle::fiber
