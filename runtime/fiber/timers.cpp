#include "fiber/timers.hpp"

#include <mutex>

namespace heddle::fiber {

// The first look goes without the lock. If take_due() is taking this very entry out at the moment, it has
// still to visit the fiber under W, which we hold: it will find the new wait there and arm it again.
bool timers::arm(record* fiber, time_point when) noexcept
{
    if (fiber->armed.load(std::memory_order_relaxed) <= when)
        return false;
    spin_lock guard(lock_);
    if (fiber->heap_index == record::no_index) {
        heap_.push_back(fiber);
        fiber->heap_index = static_cast<std::uint32_t>(heap_.size() - 1);
    } else if (fiber->armed.load(std::memory_order_relaxed) <= when) {
        return false;
    }
    fiber->armed.store(when, std::memory_order_relaxed);
    sift_up(fiber->heap_index);
    publish();
    return heap_.front() == fiber;
}

std::size_t timers::take_due(time_point now, record** due, std::size_t most) noexcept
{
    if (next() > now)
        return 0;
    std::size_t count = 0;
    spin_lock guard(lock_);
    while (count < most && !heap_.empty() && key(0) <= now) {
        due[count++] = heap_.front();
        pop();
    }
    publish();
    return count;
}

void timers::pop() noexcept
{
    record* const first = heap_.front();
    first->heap_index = record::no_index;
    first->armed.store(never, std::memory_order_relaxed);
    record* const last = heap_.back();
    heap_.pop_back();
    if (last == first)
        return;
    place(0, last);
    sift_down(0);
}

void timers::place(std::size_t index, record* fiber) noexcept
{
    heap_[index] = fiber;
    fiber->heap_index = static_cast<std::uint32_t>(index);
}

time_point timers::key(std::size_t index) const noexcept
{
    return heap_[index]->armed.load(std::memory_order_relaxed);
}

void timers::sift_up(std::size_t index) noexcept
{
    record* const moving = heap_[index];
    const time_point when = key(index);
    while (index > 0 && when < key((index - 1) / 2)) {
        place(index, heap_[(index - 1) / 2]);
        index = (index - 1) / 2;
    }
    place(index, moving);
}

void timers::sift_down(std::size_t index) noexcept
{
    record* const moving = heap_[index];
    const time_point when = key(index);
    for (;;) {
        std::size_t child = 2 * index + 1;
        if (child >= heap_.size())
            break;
        if (child + 1 < heap_.size() && key(child + 1) < key(child))
            ++child;
        if (when <= key(child))
            break;
        place(index, heap_[child]);
        index = child;
    }
    place(index, moving);
}

void timers::publish() noexcept
{
    const time_point earliest = heap_.empty() ? never : key(0);
    if (next_.load(std::memory_order_relaxed) != earliest) // written under lock_ only
        next_.store(earliest, std::memory_order_seq_cst);
}

} // namespace heddle::fiber
