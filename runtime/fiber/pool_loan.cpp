// Leases that are held for too long: what the log says of them, and how they are taken back.
#include "fiber/pool_loan.hpp"

#include <heddle/base/log.hpp>
#include <heddle/fiber/scope.hpp>

#include "fiber/pool_state.hpp"

#include <algorithm>

namespace heddle::fiber {

namespace {

// What the connection does is interrupted, and its borrower cancelled. It is lent to nobody else from here
// on, and passed on to be closed by the calling fiber only: so it is still there when the lock is not.
void reclaim(pool_state& pool, spin_lock& guard, pool_entry& entry)
{
    entry.broken = true;
    entry.on_loan.reclaimed.store(true);
    if (pool.hooks.interrupt)
        pool.hooks.interrupt(entry.object);
    const auto note = entry.on_loan.read();
    guard.unlock();
    log_loan("a connection is held for too long and is taken back", pool.options.name, note, now());
    {
        const spin_lock scope_guard(entry.on_loan.scope_lock);
        if (entry.on_loan.borrower)
            entry.on_loan.borrower->cancel();
    }
    guard.lock();
}

} // namespace

void loan::begin(time_point time, const pool_options& options, const scope* to) noexcept
{
    note.since = time;
    told = false;
    if (options.leak_after == duration::zero() && options.reclaim_after == duration::zero())
        return;
    note.route.set(to ? to->route() : std::string_view());
    note.request.set(to ? to->request_id() : std::string_view());
    note.work.set({}); // the borrower before has returned it, so that nobody else looks at this
}

void loan::note_work(std::string_view text) noexcept
{
    const spin_lock guard(work_lock);
    note.work.set(text);
}

borrower_note loan::read() noexcept
{
    const spin_lock guard(work_lock);
    return note;
}

time_point loan::overdue_at(const pool_options& options) const noexcept
{
    time_point at = never;
    if (options.leak_after > duration::zero() && !told)
        at = std::min(at, note.since + options.leak_after);
    if (options.reclaim_after > duration::zero() && !reclaimed.load(std::memory_order_relaxed))
        at = std::min(at, note.since + options.reclaim_after);
    return at;
}

void log_loan(const char* what, const std::string& pool, const borrower_note& note, time_point time) noexcept
{
    try {
        log::warn(what, {{"pool", pool},
                         {"route", std::string(note.route.view())},
                         {"request", std::string(note.request.view())},
                         {"statement", std::string(note.work.view())},
                         {"held_ms", std::to_string((time - note.since) / std::chrono::milliseconds(1))}});
    } catch (const std::bad_alloc&) { // then there is no line
    }
}

bool end_overdue_loan(pool_state& pool, spin_lock& guard)
{
    const auto time = now();
    for (auto* entry = pool.active.first(); entry; entry = entry->next) {
        auto& loan = entry->on_loan;
        if (loan.overdue_at(pool.options) > time)
            continue;
        const auto limit = pool.options.reclaim_after;
        if (limit > duration::zero() && !loan.reclaimed && time - loan.note.since >= limit) {
            loan.told = true;
            reclaim(pool, guard, *entry);
            return true;
        }
        loan.told = true;
        const auto note = loan.read();
        guard.unlock();
        log_loan("a connection is held for long", pool.options.name, note, time);
        guard.lock();
        return true;
    }
    return false;
}

} // namespace heddle::fiber
