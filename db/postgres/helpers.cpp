// A few detached threads and their queue. A job meets its fiber under the lock of the job, as an offload
// does.
#include "postgres/helpers.hpp"

#include "fiber/park.hpp"
#include "fiber/spawn.hpp"
#include "fiber/spin.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace heddle::db::pg {

class helpers::job
{
public:
    explicit job(std::function<bool()> f) : f_(std::move(f)) {}

    void run() noexcept
    {
        bool succeeded = false;
        try {
            succeeded = f_();
        } catch (...) { // a failure like any other
        }
        const fiber::spin_lock lock(lock_);
        outcome_ = succeeded ? job_outcome::succeeded : job_outcome::failed;
        if (waiting_) // it cannot leave before we let go of the lock
            fiber::unpark(waiting_);
    }

    job_outcome wait()
    {
        fiber::spin_lock guard(lock_);
        while (outcome_ == job_outcome::unknown) {
            waiting_ = fiber::self();
            const auto woken = fiber::park(guard, {.reason = "postgres helper"});
            guard = fiber::spin_lock(lock_);
            waiting_ = nullptr;
            if (woken != fiber::wake::notified)
                break;
        }
        return outcome_;
    }

private:
    const std::function<bool()> f_;
    fiber::spin lock_; // guards what follows
    job_outcome outcome_ = job_outcome::unknown;
    fiber::record* waiting_ = nullptr;
};

struct helpers::state
{
    explicit state(std::size_t most) : most_threads(most) {}

    const std::size_t most_threads;
    std::mutex mutex; // guards what follows
    std::condition_variable wanted;
    std::deque<std::shared_ptr<job>> queue;
    std::size_t threads = 0;
    std::size_t idle = 0;
    bool stopping = false;
};

helpers::helpers(std::size_t most_threads) : state_(std::make_shared<state>(most_threads)) {}

helpers::~helpers()
{
    const std::lock_guard guard(state_->mutex);
    state_->stopping = true;
    state_->wanted.notify_all();
}

std::shared_ptr<helpers::job> helpers::start(std::function<bool()> f)
{
    auto fresh = std::make_shared<job>(std::move(f));
    const std::lock_guard guard(state_->mutex);
    if (state_->idle <= state_->queue.size() && state_->threads < state_->most_threads) {
        try {
            std::thread([shared = state_] { work(shared); }).detach();
            ++state_->threads;
        } catch (const std::system_error&) {
            if (state_->threads == 0) // otherwise one of these will come to it
                throw;
        }
    }
    state_->queue.push_back(fresh);
    state_->wanted.notify_one();
    return fresh;
}

void helpers::withdraw(const std::shared_ptr<job>& job) noexcept
{
    const std::lock_guard guard(state_->mutex);
    std::erase(state_->queue, job);
}

std::size_t helpers::queued() const noexcept
{
    const std::lock_guard guard(state_->mutex);
    return state_->queue.size();
}

void helpers::work(const std::shared_ptr<state>& shared) noexcept
{
    std::unique_lock guard(shared->mutex);
    for (;;) {
        ++shared->idle;
        shared->wanted.wait(guard, [&] { return shared->stopping || !shared->queue.empty(); });
        --shared->idle;
        if (shared->queue.empty())
            return;
        const auto next = std::move(shared->queue.front());
        shared->queue.pop_front();
        guard.unlock();
        next->run();
        guard.lock();
    }
}

job_outcome wait_for(helpers::job& job)
{
    fiber::outside_work_begins(); // virtual time waits for it
    const auto outcome = job.wait();
    fiber::outside_work_ended();
    return outcome;
}

} // namespace heddle::db::pg
