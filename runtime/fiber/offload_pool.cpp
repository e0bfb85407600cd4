// A plain queue under a plain mutex: these threads are no workers and run no fibers.
#include "fiber/offload_pool.hpp"

#include <algorithm>
#include <system_error>

#include <signal.h>

namespace heddle::fiber {

namespace {

// Signals are for the threads that know what to do with them.
class signals_blocked
{
public:
    signals_blocked() noexcept
    {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~signals_blocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    signals_blocked(const signals_blocked&) = delete;
    signals_blocked& operator=(const signals_blocked&) = delete;

private:
    sigset_t before_;
};

} // namespace

offload_pool::offload_pool(unsigned most_threads) : most_threads_(std::max(1U, most_threads)) {}

offload_pool::~offload_pool()
{
    stop();
}

void offload_pool::submit(offload_job& job)
{
    {
        const std::lock_guard lock(mutex_);
        if (queued_ >= idle_ && threads_.size() < most_threads_)
            start_thread();
        job.next = nullptr;
        (first_ ? last_->next : first_) = &job;
        last_ = &job;
        ++queued_;
    }
    wanted_.notify_one();
}

void offload_pool::start_thread()
{
    try {
        const signals_blocked blocked; // the new thread inherits it
        threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
        if (threads_.empty())
            throw;
    }
}

bool offload_pool::withdraw(offload_job& job) noexcept
{
    const std::lock_guard lock(mutex_);
    offload_job* before = nullptr;
    for (auto* at = first_; at; before = at, at = at->next) {
        if (at != &job)
            continue;
        (before ? before->next : first_) = job.next;
        if (last_ == &job)
            last_ = before;
        --queued_;
        return true;
    }
    return false;
}

void offload_pool::stop() noexcept
{
    std::vector<std::thread> threads;
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        threads.swap(threads_);
    }
    wanted_.notify_all();
    for (auto& thread : threads)
        thread.join();
}

void offload_pool::work() noexcept
{
    std::unique_lock lock(mutex_);
    for (;;) {
        ++idle_;
        wanted_.wait(lock, [this] { return first_ || stopping_; });
        --idle_;
        if (!first_)
            return;
        auto* const job = first_;
        first_ = job->next;
        --queued_;
        lock.unlock();
        job->run(*job);
        lock.lock();
    }
}

} // namespace heddle::fiber
