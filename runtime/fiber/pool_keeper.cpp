// Asks idle connections whether they are there: one before it is leased, and each that was silent for too
// long, so that nothing on the way takes it for dead.
#include <heddle/fiber/scope.hpp>

#include "fiber/pool_state.hpp"
#include "fiber/spawn.hpp"

#include <algorithm>
#include <new>

namespace heddle::fiber {

namespace {

// The one that was silent for the longest, now in `checking`; nullptr if all were heard of.
pool_entry* take_silent(pool_state& pool, time_point time) noexcept
{
    pool_entry* silent = nullptr;
    for (auto* entry = pool.idle.first(); entry; entry = entry->next)
        if (!silent || entry->alive_at < silent->alive_at)
            silent = entry;
    if (!silent || time - silent->alive_at < pool.options.keepalive)
        return nullptr;
    pool.idle.remove(*silent);
    pool.checking.push_back(*silent);
    return silent;
}

void run_keeper(pool_state& pool)
{
    spin_lock guard(pool.lock);
    while (auto* const entry = take_silent(pool, now())) {
        guard.unlock();
        const bool alive = is_alive(pool, *entry, never);
        const auto time = now();
        guard.lock();
        pool.checking.remove(*entry);
        entry->alive_at = time;
        if (!alive)
            pool.note_broken(*entry, time);
        pool.place(*entry, time);
    }
    pool.keeping = false;
    pool.closer.wake_one(); // it looks after the next one, and closes the dead
}

} // namespace

bool is_alive(const pool_state& pool, const pool_entry& entry, time_point until)
{
    try {
        const scope limited({.deadline = std::min(until, after(pool.options.check_budget))});
        return pool.hooks.check(entry.object);
    } catch (...) { // also when the scope has ended: in what state it is now, nobody knows
        return false;
    }
}

bool start_keeper(const std::shared_ptr<pool_state>& state) noexcept
{
    try {
        spawn("pool keeper", [state] { run_keeper(*state); });
        return true;
    } catch (const std::bad_alloc&) {
        const spin_lock guard(state->lock);
        state->keeping = false;
        return false;
    }
}

} // namespace heddle::fiber
