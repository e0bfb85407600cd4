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
            if (!doubtful_ || is_alive(pool_, *entry, until_))
                return entry;
            bury(*entry);
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
                    pool_.lend(*entry, time_, scope::current());
                    return note_lease(*entry);
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
        me.place = scope::current();
        const park_options options{.reason = "pool", .name = pool_.options.name.c_str(), .until = until_};
        const wake outcome = pool_.borrowers.wait(me, guard, options, place);
        time_ = now();
        pool_.counters.waited += time_ - begin;
        if (me.got)
            return note_lease(*me.got);
        const bool closed = pool_.closed;
        guard.unlock();
        if (outcome == wake::cancelled)
            refuse_cancelled();
        if (closed)
            refuse_closed();
        refuse_late();
    }

    // With the lock held.
    pool_entry* note_lease(pool_entry& entry) noexcept
    {
        ++pool_.counters.leased;
        doubtful_ = pool_.is_doubtful(entry, time_);
        return &entry;
    }

    void bury(pool_entry& entry) noexcept
    {
        const spin_lock guard(pool_.lock);
        --pool_.counters.leased;
        pool_.active.remove(entry);
        pool_.note_broken(entry, now());
        pool_.retire(entry);
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
    bool doubtful_ = false;    // what was taken last has to be checked
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
    const bool fit = broken || !pool.hooks.keep || pool.hooks.keep(entry->object);
    const auto time = now();
    spin_lock guard(pool.lock);
    pool.active.remove(*entry);
    entry->idle_since = entry->alive_at = time;
    if (broken)
        pool.note_broken(*entry, time);
    entry->broken = entry->broken || !fit;
    if (!entry->on_loan.told)
        return pool.place(*entry, time);
    const auto kept = pool.shared_from_this(); // once placed, its entries may be closed, and the pool be gone
    const auto note = entry->on_loan.read();
    pool.place(*entry, time);
    guard.unlock();
    log_loan("a connection that was held for long is back", kept->options.name, note, time);
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

pool_entry* pool_core::may_reclaim(pool_entry* entry) noexcept
{
    return entry && entry->owner->options.reclaim_after > duration::zero() ? entry : nullptr;
}

void pool_core::set_scope(pool_entry* entry, scope* scope) noexcept
{
    const spin_lock guard(entry->on_loan.scope_lock);
    entry->on_loan.borrower = scope;
}

void pool_core::note_work(pool_entry* entry, std::string_view text) noexcept
{
    entry->on_loan.note_work(text);
}

bool pool_core::is_reclaimed(const pool_entry* entry) noexcept
{
    return entry->on_loan.reclaimed.load(std::memory_order_relaxed);
}

void pool_core::refuse_returned()
{
    throw error(kind::internal, "lease: used after it was returned or taken back");
}

} // namespace heddle::fiber
