// Fibers that are ready to run, first in first out, under a spin lock.
#pragma once

#include "fiber/spin.hpp"

#include <boost/fiber/context.hpp>
#include <boost/fiber/scheduler.hpp>

#include <atomic>
#include <mutex>

namespace heddle::fiber {

class ready_queue
{
public:
    void push(boost::fibers::context* fiber) noexcept
    {
        spin_lock guard(lock_);
        push_locked(fiber);
    }

    // For a fiber that queues itself: it holds the lock until it has switched away, so nobody resumes it before.
    void push_locked(boost::fibers::context* fiber) noexcept
    {
        fiber->ready_link(queue_);
        size_.fetch_add(1, std::memory_order_seq_cst);
    }

    boost::fibers::context* pop() noexcept
    {
        if (size() == 0)
            return nullptr;
        spin_lock guard(lock_);
        if (queue_.empty())
            return nullptr;
        boost::fibers::context* const first = &queue_.front();
        queue_.pop_front();
        size_.fetch_sub(1, std::memory_order_relaxed);
        return first;
    }

    int size() const noexcept { return size_.load(std::memory_order_seq_cst); }
    spin& lock() noexcept { return lock_; }

private:
    spin lock_;
    boost::fibers::scheduler::ready_queue_type queue_;
    std::atomic<int> size_ = 0;
};

} // namespace heddle::fiber
