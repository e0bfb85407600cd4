// Every rule of the pool that can be stated without waiting.
#include "fiber/pool_state.hpp"

#include <heddle/base/error.hpp>

#include <algorithm>

namespace heddle::fiber {

namespace {

using namespace std::chrono_literals;

constexpr duration first_rest = 50ms; // after the first failed attempt; doubles
constexpr duration longest_rest = 1s;

pool_options checked(pool_options options, const pool_hooks& hooks)
{
    auto wrong = faults_in(options);
    if (!hooks.open)
        wrong.push_back("there is no function that opens a connection");
    if (wrong.empty())
        return options;
    std::string all = "pool \"" + options.name + "\": ";
    for (const auto& one : wrong)
        all += (&one == &wrong.front() ? "" : "; ") + one;
    throw config_error(all);
}

} // namespace

std::vector<std::string> faults_in(const pool_options& options)
{
    std::vector<std::string> wrong;
    if (options.size < 1 || options.size > max_pool_size)
        wrong.push_back("size must be between 1 and " + std::to_string(max_pool_size) + ", not " +
                        std::to_string(options.size));
    if (options.min_idle < 0 || options.min_idle > std::max<std::int64_t>(options.size, 0))
        wrong.push_back("min_idle must be between 0 and size, not " + std::to_string(options.min_idle));
    if (options.opening_at_once < 1)
        wrong.push_back("opening_at_once must be at least 1, not " + std::to_string(options.opening_at_once));
    const auto positive = [&](duration value, const char* field) {
        if (value <= duration::zero())
            wrong.push_back(std::string(field) + " must be more than 0");
    };
    const auto not_negative = [&](duration value, const char* field) {
        if (value < duration::zero())
            wrong.push_back(std::string(field) + " must not be negative");
    };
    not_negative(options.acquire_budget, "acquire_budget");
    positive(options.connect_budget, "connect_budget");
    positive(options.close_budget, "close_budget");
    not_negative(options.max_idle, "max_idle");
    not_negative(options.max_lifetime, "max_lifetime");
    not_negative(options.check_after, "check_after");
    positive(options.check_budget, "check_budget");
    not_negative(options.keepalive, "keepalive");
    not_negative(options.leak_after, "leak_after");
    not_negative(options.reclaim_after, "reclaim_after");
    return wrong;
}

void pool_entries::push_back(pool_entry& entry) noexcept
{
    entry.previous = last_;
    entry.next = nullptr;
    (last_ ? last_->next : first_) = &entry;
    last_ = &entry;
    ++size_;
}

void pool_entries::insert_by_idle_since(pool_entry& entry) noexcept
{
    auto* before = last_;
    while (before && before->idle_since > entry.idle_since)
        before = before->previous;
    if (before == last_)
        return push_back(entry);
    entry.previous = before;
    entry.next = before ? before->next : first_;
    entry.next->previous = &entry;
    (before ? before->next : first_) = &entry;
    ++size_;
}

void pool_entries::remove(pool_entry& entry) noexcept
{
    (entry.previous ? entry.previous->next : first_) = entry.next;
    (entry.next ? entry.next->previous : last_) = entry.previous;
    --size_;
}

pool_state::pool_state(pool_options given, pool_hooks given_hooks)
    : options(checked(std::move(given), given_hooks)),
      hooks(std::move(given_hooks)),
      size(options.size),
      attempts(static_cast<std::size_t>(size), time_point::min()),
      random(static_cast<std::minstd_rand::result_type>(reinterpret_cast<std::uintptr_t>(this) >> 4))
{
}

bool pool_state::is_expired(const pool_entry& entry, time_point time) const noexcept
{
    if (entry.broken || time >= entry.expires_at)
        return true;
    const bool unused_too_long =
        options.max_idle > duration::zero() && time - entry.idle_since >= options.max_idle;
    return unused_too_long && living() > options.min_idle;
}

bool pool_state::is_doubtful(const pool_entry& entry, time_point time) const noexcept
{
    return hooks.check && (time - entry.alive_at >= options.check_after || entry.alive_at < suspected_at);
}

pool_entry* pool_state::take_idle(time_point time) noexcept
{
    while (idle.size() > 0) {
        pool_entry* entry = options.order == idle_order::most_recent ? idle.last() : idle.first();
        if (options.order == idle_order::oldest)
            for (auto* other = idle.first(); other; other = other->next)
                if (other->opened_at < entry->opened_at)
                    entry = other;
        if (is_expired(*entry, time)) {
            retire_idle(*entry);
            continue;
        }
        idle.remove(*entry);
        return entry;
    }
    return nullptr;
}

void pool_state::lend(pool_entry& entry, time_point time, const scope* to) noexcept
{
    active.push_back(entry);
    entry.on_loan.begin(time, options, to);
    if (entry.on_loan.overdue_at(options) < closer_wakes_at)
        closer.wake_one();
}

void pool_state::place(pool_entry& entry, time_point time) noexcept
{
    if (closed || entry.broken || time >= entry.expires_at || living() > size)
        return retire(entry);
    if (!suspended) {
        while (auto* const oldest = static_cast<borrower*>(borrowers.front())) {
            oldest->got = &entry; // before it wakes: it may be gone right after
            const auto* const to = oldest->place;
            if (borrowers.wake_up(*oldest))
                return lend(entry, time, to); // it cannot go on, and end its scope, before it has the lock
            oldest->got = nullptr;
        }
    }
    idle.insert_by_idle_since(entry);
    if (look_at(entry) < closer_wakes_at)
        closer.wake_one();
}

void pool_state::retire(pool_entry& entry) noexcept
{
    closing.push_back(entry);
    closer.wake_one();
}

void pool_state::retire_idle(pool_entry& entry) noexcept
{
    idle.remove(entry);
    retire(entry);
}

void pool_state::close_expired(time_point time) noexcept
{
    for (auto* entry = idle.first(); entry;) {
        auto* const next = entry->next;
        if (is_expired(*entry, time))
            retire_idle(*entry);
        entry = next;
    }
}

time_point pool_state::look_at(const pool_entry& entry) const noexcept
{
    time_point at = entry.expires_at;
    if (options.max_idle > duration::zero() && living() > options.min_idle)
        at = std::min(at, entry.idle_since + options.max_idle);
    if (options.keepalive > duration::zero() && hooks.check && !keeping)
        at = std::min(at, entry.alive_at + options.keepalive);
    return at;
}

time_point pool_state::next_look() const noexcept
{
    time_point earliest = never;
    for (auto* entry = idle.first(); entry; entry = entry->next)
        earliest = std::min(earliest, look_at(*entry));
    for (auto* entry = active.first(); entry; entry = entry->next)
        earliest = std::min(earliest, entry->on_loan.overdue_at(options));
    return earliest;
}

bool pool_state::needs_keeper(time_point time) const noexcept
{
    if (closed || keeping || options.keepalive == duration::zero() || !hooks.check)
        return false;
    for (auto* entry = idle.first(); entry; entry = entry->next)
        if (time - entry->alive_at >= options.keepalive)
            return true;
    return false;
}

void pool_state::note_broken(pool_entry& entry, time_point time) noexcept
{
    entry.broken = true;
    suspected_at = time;
}

void pool_state::begin_closing() noexcept
{
    closed = true;
    while (idle.size() > 0)
        retire_idle(*idle.first());
    borrowers.wake_all();
    resting.wake_all();
    closer.wake_one();
}

std::int64_t pool_state::openers_wanted(std::int64_t newcomers) const noexcept
{
    if (closed)
        return 0;
    const auto waiting = suspended ? 0 : static_cast<std::int64_t>(borrowers.size()) + newcomers;
    const auto wanted = std::max(waiting - opening, options.min_idle - living());
    const auto room = std::min(size - open, options.opening_at_once - opening);
    return std::clamp<std::int64_t>(wanted, 0, std::max<std::int64_t>(room, 0));
}

std::int64_t pool_state::reserve_openers(std::int64_t newcomers) noexcept
{
    const auto count = openers_wanted(newcomers);
    open += count;
    opening += count;
    return count;
}

void pool_state::forget_openers(std::int64_t count) noexcept
{
    open -= count;
    opening -= count;
    closer.wake_one(); // it may be the last that close() waits for
}

bool pool_state::opener_is_needed() const noexcept
{
    if (closed || living() > size)
        return false;
    const bool somebody_waits = static_cast<std::int64_t>(borrowers.size()) >= opening;
    return somebody_waits || living() <= options.min_idle;
}

time_point pool_state::attempt_allowed_at() const noexcept
{
    if (failures == 0)
        return time_point::min();
    const time_point oldest = attempts[attempt_at];
    return oldest == time_point::min() ? next_attempt : std::max(next_attempt, oldest + longest_rest);
}

void pool_state::note_attempt(time_point time) noexcept
{
    attempts[attempt_at] = time;
    attempt_at = (attempt_at + 1) % attempts.size();
    if (failures > 0)
        next_attempt = time + first_rest; // the other openers do not all try at once
}

void pool_state::note_failure(time_point time, std::string cause) noexcept
{
    if (failures == 0)
        first_cause = std::move(cause);
    ++failures;
    ++counters.failed_to_open;
    const auto rest = std::min(longest_rest, first_rest * (1 << std::min(failures - 1, 5U)));
    next_attempt = time + rest * std::uniform_int_distribution<int>(75, 100)(random) / 100;
}

void pool_state::note_success() noexcept
{
    failures = 0;
    first_cause.clear();
    ++counters.opened;
    resting.wake_all();
}

pool_statistics pool_state::statistics() const noexcept
{
    pool_statistics all = counters;
    all.open = open;
    all.opening = opening;
    all.active = active.size();
    all.idle = idle.size() + checking.size();
    all.closing = closing.size() + being_closed;
    all.waiting = static_cast<std::int64_t>(borrowers.size());
    return all;
}

} // namespace heddle::fiber
