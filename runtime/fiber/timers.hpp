// When which fiber's wait is over. One heap for all workers, and lazy: a fiber has at most one entry, it
// stays when the fiber is woken early, and when it fires too soon it is put back. So a park under a far
// deadline mostly touches no lock here.
#pragma once

#include <heddle/fiber/clock.hpp>

#include "fiber/record.hpp"
#include "fiber/spin.hpp"

#include <atomic>
#include <vector>

namespace heddle::fiber {

class timers
{
public:
    // Makes `fiber` be looked at by `when`, at the latest. Called under its W. True if this is now the
    // earliest of all.
    bool arm(record* fiber, time_point when) noexcept;

    // Takes out who is due: at most `most` records into `due`. Their W is not held; the caller looks at each
    // one under W.
    std::size_t take_due(time_point now, record** due, std::size_t most) noexcept;

    // The earliest entry, or never. Sequentially consistent, as idle_workers is: who arms a timer publishes
    // it here and then looks who sleeps; who goes to sleep says so and then looks here. One of the two sees
    // the other.
    time_point next() const noexcept { return next_.load(std::memory_order_seq_cst); }

private:
    void place(std::size_t index, record* fiber) noexcept;
    void sift_up(std::size_t index) noexcept;
    void sift_down(std::size_t index) noexcept;
    void pop() noexcept;
    time_point key(std::size_t index) const noexcept;
    void publish() noexcept;

    spin lock_;
    std::vector<record*> heap_; // smallest `armed` first
    std::atomic<time_point> next_ = never;
};

} // namespace heddle::fiber
