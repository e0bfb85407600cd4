// The fibers that belong to a pool. Openers are started as borrowers ask for more than there is and end when
// nobody does, so that a quiet pool has no fibers but its closer; which has connections closed, so that
// whoever returns one never waits.
#include <heddle/base/log.hpp>
#include <heddle/fiber/scope.hpp>

#include "fiber/pool_state.hpp"
#include "fiber/spawn.hpp"

#include <utility>

namespace heddle::fiber {

namespace {

// Until the closer tries again to start openers.
constexpr duration without_memory = std::chrono::milliseconds(100);

// Returns: a connection; or nothing, and `cause` says why.
std::unique_ptr<pool_entry> open_one(pool_state& pool, std::string& cause)
{
    try {
        auto entry = std::make_unique<pool_entry>();
        const scope limited({.deadline = after(pool.options.connect_budget)});
        entry->object = pool.hooks.open();
        if (entry->object)
            return entry;
        cause = "there is none";
    } catch (const std::exception& failure) {
        cause = failure.what();
    } catch (...) {
        cause = "an exception of unknown type";
    }
    return nullptr;
}

void close_one(pool_state& pool, pool_entry* closed)
{
    const std::unique_ptr<pool_entry> entry(closed);
    try {
        const scope limited({.deadline = after(pool.options.close_budget)});
        pool.hooks.close(entry->object);
    } catch (...) { // it is gone either way, and its borrower has his answer
    }
}

void admit(pool_state& pool, std::unique_ptr<pool_entry> entry, time_point time)
{
    const auto lifetime = pool.options.max_lifetime;
    entry->owner = &pool;
    entry->opened_at = entry->idle_since = entry->alive_at = time;
    if (lifetime > duration::zero()) // not all that were opened together end together
        entry->expires_at = time + lifetime / 100 * std::uniform_int_distribution<int>(90, 100)(pool.random);
    --pool.opening;
    pool.note_success();
    pool.place(*entry.release(), time);
    if (pool.openers_wanted(0) > 0)
        pool.closer.wake_one(); // starts the next one, where so many were being opened that it had to wait
}

// An outage is two lines in the log, its begin and its end, however many attempts are made meanwhile.
void admit_and_tell(pool_state& pool, std::unique_ptr<pool_entry> entry, spin_lock& guard)
{
    const auto failures = pool.failures;
    admit(pool, std::move(entry), now());
    guard.unlock();
    if (failures > 0)
        log::info("connections can be opened again",
                  {{"pool", pool.options.name}, {"failed_attempts", std::to_string(failures)}});
}

void note_and_tell(pool_state& pool, std::string cause, spin_lock& guard)
{
    pool.note_failure(now(), cause);
    if (pool.failures > 1)
        return;
    guard.unlock();
    log::warn("a connection cannot be opened", {{"pool", pool.options.name}, {"cause", std::move(cause)}});
    guard.lock();
}

// Waits until the next attempt may begin. False if it is not needed any more.
bool rest(pool_state& pool, spin_lock& guard)
{
    while (!pool.closed && now() < pool.attempt_allowed_at()) {
        waiter me;
        const park_options options{.reason = "next attempt to open",
                                   .name = pool.options.name.c_str(),
                                   .until = pool.attempt_allowed_at()};
        if (pool.resting.wait(me, guard, options) == wake::cancelled || !pool.opener_is_needed())
            return false;
    }
    return !pool.closed;
}

void run_opener(pool_state& pool)
{
    spin_lock guard(pool.lock);
    while (rest(pool, guard)) {
        pool.note_attempt(now());
        guard.unlock();

        std::string cause;
        auto entry = open_one(pool, cause);

        guard.lock();
        if (entry)
            return admit_and_tell(pool, std::move(entry), guard);
        note_and_tell(pool, std::move(cause), guard);
        if (!pool.opener_is_needed())
            break;
    }
    pool.forget_openers(1);
}

// What it leaves free, the closer may have openers for.
void close_and_count(pool_state& pool, pool_entry* entry)
{
    close_one(pool, entry);
    const spin_lock guard(pool.lock);
    --pool.being_closed;
    --pool.open;
    ++pool.counters.closed;
    pool.closer.wake_one();
}

// On a fiber of its own, as one close may take all of its budget, and the others need not wait for it; here
// if there is no memory for one.
void close_first(pool_state& pool, spin_lock& guard)
{
    auto* const entry = pool.closing.first();
    pool.closing.remove(*entry);
    ++pool.being_closed;
    guard.unlock();
    bool started = false;
    try {
        spawn("pool closing", [kept = pool.shared_from_this(), entry] { close_and_count(*kept, entry); });
        started = true;
    } catch (const std::bad_alloc&) {
    }
    if (!started)
        close_and_count(pool, entry);
    guard.lock();
}

// Whoever calls the closer while the lock is free here wakes nobody, so it looks again until nothing is
// wanted.
// Returns: when to try again; never if all could be started.
time_point start_wanted(pool_state& pool, spin_lock& guard)
{
    time_point again = never;
    while (again == never) {
        const auto count = pool.reserve_openers(0);
        const bool keeper = pool.needs_keeper(now());
        if (count == 0 && !keeper)
            break;
        pool.keeping = pool.keeping || keeper;
        guard.unlock();
        if (keeper && !start_keeper(pool.shared_from_this()))
            again = after(without_memory);
        try {
            start_openers(pool.shared_from_this(), count);
        } catch (const std::bad_alloc&) {
            again = after(without_memory);
        }
        guard.lock();
    }
    return again;
}

void run_closer(pool_state& pool)
{
    spin_lock guard(pool.lock);
    bool interruptible = true;
    while (!pool.closed || pool.open > 0) {
        pool.close_expired(now());
        if (pool.closing.size() > 0) {
            close_first(pool, guard);
            continue;
        }
        if (end_overdue_loan(pool, guard))
            continue;
        const time_point again = start_wanted(pool, guard);
        if (pool.closing.size() > 0 || (pool.closed && pool.open == 0))
            continue; // came while the lock was free

        waiter me;
        pool.closer_wakes_at = std::min(again, pool.next_look());
        const park_options options{.reason = "idle connections",
                                   .name = pool.options.name.c_str(),
                                   .until = pool.closer_wakes_at,
                                   .interruptible = interruptible};
        if (pool.closer.wait(me, guard, options) == wake::cancelled) { // the runtime is about to stop
            interruptible = false;
            pool.begin_closing();
        }
        pool.closer_wakes_at = time_point::min(); // awake: it looks for itself
    }
    pool.drained = true;
    pool.closing_down.wake_all();
}

} // namespace

void start_closer(const std::shared_ptr<pool_state>& state)
{
    spawn("pool closer", [state] { run_closer(*state); });
}

void start_openers(const std::shared_ptr<pool_state>& state, std::int64_t count)
{
    try {
        for (; count > 0; --count)
            spawn("pool opener", [state] { run_opener(*state); });
    } catch (...) {
        const spin_lock guard(state->lock);
        state->forget_openers(count);
        throw;
    }
}

} // namespace heddle::fiber
