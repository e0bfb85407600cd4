// Borrowing and returning: a bounded queue under two conditions, "not empty" for borrowers and "not full" for
// openers.
#include <heddle/fiber/pool_core.hpp>

#include <heddle/base/error.hpp>
#include <heddle/fiber/holding.hpp>
#include <heddle/fiber/scope.hpp>

#include "fiber/pool_state.hpp"

#include <algorithm>
#include <utility>

namespace heddle::fiber {

namespace {

std::string in_milliseconds(duration d)
{
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(d).count()) + " ms";
}

// One borrower's way to a connection.
class borrowing
{
public:
    explicit borrowing(pool_state& pool) : pool_(pool) {}

    pool_entry* run()
    {
        auto place = waiters::place::back;
        for (;;) {
            check_scope();
            pool_entry* const entry = next(place);
            if (is_alive(*entry))
                return entry;
            bury(entry);
            time_ = now();
            if (time_ >= until_)
                refuse_late();
            place = waiters::place::front; // it has had its turn, but got nothing by it
        }
    }

private:
    void check_scope()
    {
        const scope* const mine = scope::current();
        if (!mine || !mine->has_ended())
            return;
        if (mine->is_cancelled())
            refuse_cancelled();
        refuse_late();
    }

    pool_entry* next(waiters::place place)
    {
        spin_lock guard(pool_.lock);
        while (!pool_.closed) {
            if (!pool_.suspended && (pool_.borrowers.empty() || place == waiters::place::front))
                if (auto* const entry = pool_.take_idle(time_)) {
                    ++pool_.counters.leased;
                    return entry;
                }
            const auto openers = pool_.reserve_openers(1);
            if (openers == 0)
                return wait(guard, place);
            guard.unlock();
            start_openers(pool_.shared_from_this(), openers);
            guard.lock();
        }
        guard.unlock();
        refuse_closed();
    }

    pool_entry* wait(spin_lock& guard, waiters::place place)
    {
        const auto begin = time_;
        borrower me;
        const park_options options{.reason = "pool", .name = pool_.options.name.c_str(), .until = until_};
        const wake outcome = pool_.borrowers.wait(me, guard, options, place);
        time_ = now();
        pool_.counters.waited += time_ - begin;
        if (me.got) {
            ++pool_.counters.leased;
            return me.got;
        }
        const bool closed = pool_.closed;
        guard.unlock();
        if (outcome == wake::cancelled)
            refuse_cancelled();
        if (closed)
            refuse_closed();
        refuse_late();
    }

    bool is_alive(const pool_entry& entry)
    {
        if (!pool_.hooks.check || time_ - entry.idle_since < pool_.options.check_after)
            return true;
        try {
            const scope limited({.deadline = std::min(until_, after(pool_.options.check_budget))});
            return pool_.hooks.check(entry.object);
        } catch (...) { // also when the scope has ended: in what state it is now, nobody knows
            return false;
        }
    }

    void bury(pool_entry* entry) noexcept
    {
        const spin_lock guard(pool_.lock);
        --pool_.counters.leased;
        pool_.active.remove(*entry);
        pool_.retire(*entry);
    }

    [[noreturn]] void refuse_cancelled()
    {
        {
            const spin_lock guard(pool_.lock);
            ++pool_.counters.cancelled;
        }
        throw cancelled();
    }

    [[noreturn]] void refuse_closed()
    {
        throw error(kind::unavailable, "pool \"" + pool_.options.name + "\" is closed");
    }

    [[noreturn]] void refuse_late()
    {
        const auto waited = now() - begin_;
        spin_lock guard(pool_.lock);
        ++pool_.counters.timed_out;
        const auto state = pool_.statistics();
        const bool failing = pool_.failures > 0;
        const std::string cause = pool_.first_cause;
        guard.unlock();

        const auto text = "pool \"" + pool_.options.name + "\": no connection within " +
                          in_milliseconds(waited) + " (" + std::to_string(state.open) + " open, " +
                          std::to_string(state.active) + " active, " + std::to_string(state.idle) +
                          " idle, " + std::to_string(state.waiting) + " waiting)";
        if (failing)
            throw error(kind::unavailable, text + "; none could be opened: " + cause);
        throw overloaded(overloaded::why::pool, text);
    }

    pool_state& pool_;
    const time_point begin_ = now();
    const time_point until_ = begin_ + std::min(pool_.options.acquire_budget, never - begin_);
    time_point time_ = begin_; // now, as exactly as it matters: read anew after each wait
};

} // namespace

pool_core::pool_core(pool_options options, pool_hooks hooks)
    : state_(std::make_shared<pool_state>(std::move(options), std::move(hooks)))
{
    start_closer(state_); // which also starts the openers for min_idle
}

pool_core::~pool_core()
{
    const spin_lock guard(state_->lock);
    state_->begin_closing();
}

pool_entry* pool_core::acquire()
{
    if (is_held_here(state_.get()))
        throw error(kind::internal, "pool \"" + name() +
                                        "\": this fiber, or one that waits for it, has a connection already");
    const auto kept = state_; // we may still be in its queue when the pool goes away
    return borrowing(*kept).run();
}

void pool_core::give_back(pool_entry* entry, bool broken) noexcept
{
    pool_state& pool = *entry->owner;
    const spin_lock guard(pool.lock);
    pool.active.remove(*entry);
    entry->broken = entry->broken || broken;
    pool.place(*entry, now());
}

void pool_core::close(duration grace)
{
    const auto pool = state_;
    time_point until = after(grace);
    spin_lock guard(pool->lock);
    if (!pool->closed)
        pool->begin_closing();
    while (!pool->drained) {
        waiter me;
        const wake outcome = pool->closing_down.wait(
            me, guard, {.reason = "pool to close", .name = pool->options.name.c_str(), .until = until});
        if (outcome == wake::timed_out) {
            for (auto* entry = pool->active.first(); entry && pool->hooks.interrupt; entry = entry->next)
                pool->hooks.interrupt(entry->object);
            until = never;
        } else if (outcome != wake::notified) {
            guard.unlock();
            check(outcome);
        }
    }
}

void pool_core::resize(std::int64_t size)
{
    if (size < 1 || size > max_pool_size || size < state_->options.min_idle)
        throw config_error("pool \"" + name() + "\": its size cannot become " + std::to_string(size));
    std::vector<time_point> attempts(static_cast<std::size_t>(size), time_point::min());
    const spin_lock guard(state_->lock);
    state_->size = size;
    state_->attempts.swap(attempts);
    state_->attempt_at = 0;
    while (state_->idle.size() > 0 && state_->living() > size)
        state_->retire_idle(*state_->idle.first());
    state_->closer.wake_one(); // starts openers, if somebody waits
}

void pool_core::suspend() noexcept
{
    const spin_lock guard(state_->lock);
    state_->suspended = true;
}

void pool_core::resume() noexcept
{
    const spin_lock guard(state_->lock);
    state_->suspended = false;
    while (!state_->borrowers.empty()) {
        pool_entry* const entry = state_->take_idle(now());
        if (!entry)
            break;
        state_->active.remove(*entry);
        const auto idle_since = entry->idle_since;
        state_->place(*entry, now());
        entry->idle_since = idle_since; // being passed on is no use: it may still need its check
    }
    state_->closer.wake_one(); // starts openers for the rest
}

void pool_core::clear() noexcept
{
    const spin_lock guard(state_->lock);
    while (state_->idle.size() > 0)
        state_->retire_idle(*state_->idle.first());
    for (auto* entry = state_->active.first(); entry; entry = entry->next)
        entry->broken = true;
}

const std::string& pool_core::name() const noexcept
{
    return state_->options.name;
}

pool_statistics pool_core::statistics() const noexcept
{
    const spin_lock guard(state_->lock);
    return state_->statistics();
}

void* pool_core::object_of(const pool_entry* entry) noexcept
{
    return entry->object;
}

const void* pool_core::owner_of(const pool_entry* entry) noexcept
{
    return entry->owner;
}

const char* pool_core::name_of(const pool_entry* entry) noexcept
{
    return entry->owner->options.name.c_str();
}

void pool_core::refuse_returned()
{
    throw error(kind::internal, "lease: used after it was returned");
}

} // namespace heddle::fiber
