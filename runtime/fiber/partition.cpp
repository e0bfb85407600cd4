// One queue for all shares: whose turn it is depends on who runs, not on who came first alone.
#include <heddle/fiber/partition.hpp>

#include <heddle/base/error.hpp>
#include <heddle/fiber/scope.hpp>

#include "fiber/waiters.hpp"

#include <cassert>

namespace heddle::fiber {

namespace {

struct applicant : waiter
{
    std::size_t share = 0;
    bool granted = false;
};

partition_options checked(partition_options options)
{
    std::string wrong;
    std::int64_t unpromised = options.total;
    if (options.total < 1)
        wrong += " total must be at least 1, not " + std::to_string(options.total) + ";";
    for (const auto& share : options.shares) {
        if (share.guaranteed < 0)
            wrong += " share \"" + share.name + "\": guaranteed must not be negative;";
        else if (share.guaranteed > unpromised)
            wrong += " share \"" + share.name + "\": the guarantees add up to more than the total;";
        else
            unpromised -= share.guaranteed;
    }
    if (options.shares.empty())
        wrong += " there are no shares;";
    if (options.queue_wait < duration::zero())
        wrong += " queue_wait must not be negative;";
    if (!wrong.empty())
        throw config_error("partition \"" + options.name + "\":" + wrong.substr(0, wrong.size() - 1));
    return options;
}

} // namespace

struct partition::state
{
    explicit state(partition_options given)
        : options(checked(std::move(given))), running(options.shares.size())
    {
    }

    const partition_options options;
    spin lock; // guards what follows
    waiters queue;
    std::vector<std::int64_t> running; // by share
    std::int64_t total = 0;

    bool owns_more(std::size_t share) const noexcept
    {
        return running[share] < options.shares[share].guaranteed;
    }

    void take(std::size_t share) noexcept
    {
        ++running[share];
        ++total;
    }

    applicant* next() noexcept
    {
        for (auto* one = queue.front(); one; one = one->next)
            if (owns_more(static_cast<applicant*>(one)->share))
                return static_cast<applicant*>(one);
        return static_cast<applicant*>(queue.front());
    }

    void hand_over() noexcept
    {
        while (total < options.total) {
            applicant* const one = next();
            if (!one)
                return;
            const auto share = one->share;
            one->granted = true;
            if (queue.wake_up(*one))
                take(share);
            else
                one->granted = false;
        }
    }
};

partition::partition(partition_options options) : state_(std::make_unique<state>(std::move(options))) {}

partition::~partition()
{
    assert(state_->queue.empty() && state_->total == 0);
}

partition::permit partition::enter(std::size_t share)
{
    auto& s = *state_;
    assert(share < s.running.size());
    const auto* const mine = scope::current();
    if (mine && mine->is_cancelled())
        throw cancelled();

    spin_lock guard(s.lock);
    if (s.total < s.options.total) { // then nobody waits
        s.take(share);
        return permit(this, share);
    }
    applicant me;
    me.share = share;
    const wake outcome = s.queue.wait(
        me, guard,
        {.reason = "partition", .name = s.options.name.c_str(), .until = after(s.options.queue_wait)});
    guard.unlock();
    if (me.granted)
        return permit(this, share);
    if (outcome == wake::cancelled)
        throw cancelled();
    throw overloaded(overloaded::why::timed_out, "partition \"" + s.options.name + "\": no turn in time");
}

void partition::give_back(std::size_t share) noexcept
{
    const spin_lock guard(state_->lock);
    --state_->running[share];
    --state_->total;
    state_->hand_over();
}

std::int64_t partition::running(std::size_t share) const noexcept
{
    const spin_lock guard(state_->lock);
    return state_->running[share];
}

std::int64_t partition::running() const noexcept
{
    const spin_lock guard(state_->lock);
    return state_->total;
}

std::size_t partition::waiting() const noexcept
{
    const spin_lock guard(state_->lock);
    return state_->queue.size();
}

} // namespace heddle::fiber
