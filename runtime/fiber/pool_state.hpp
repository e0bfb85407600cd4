// A pool's mind: which connection goes where. Nothing here parks; everything is called with `lock` held
// unless it says otherwise.
#pragma once

#include <heddle/fiber/pool_core.hpp>

#include "fiber/pool_loan.hpp"
#include "fiber/waiters.hpp"

#include <exception>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace heddle::fiber {

// One connection. In exactly one list, or on its way between two under the lock, or being opened.
struct pool_entry
{
    pool_state* owner = nullptr;
    void* object = nullptr;
    time_point opened_at = never;
    time_point expires_at = never; // its lifetime, with jitter
    time_point idle_since = never;
    time_point alive_at = never; // when it was last seen to work: in use, or by a check
    bool broken = false;
    loan on_loan;
    pool_entry* previous = nullptr;
    pool_entry* next = nullptr;
};

class pool_entries
{
public:
    pool_entry* first() const noexcept { return first_; }
    pool_entry* last() const noexcept { return last_; }
    std::int64_t size() const noexcept { return size_; }
    void push_back(pool_entry& entry) noexcept;
    void insert_by_idle_since(pool_entry& entry) noexcept; // nearly always the last
    void remove(pool_entry& entry) noexcept;

private:
    pool_entry* first_ = nullptr;
    pool_entry* last_ = nullptr;
    std::int64_t size_ = 0;
};

// A waiting borrower, and what it is handed.
struct borrower : waiter
{
    const scope* place = nullptr; // where it waits
    pool_entry* got = nullptr;
};

struct pool_state : std::enable_shared_from_this<pool_state>
{
    pool_state(pool_options options, pool_hooks hooks);

    const pool_options options;
    const pool_hooks hooks;

    spin lock; // guards all that follows
    std::int64_t size;
    std::int64_t open = 0;    // idle, active, opening and closing
    std::int64_t opening = 0; // promised to openers, whether they connect or rest
    pool_entries idle;        // longest idle first
    pool_entries active;
    pool_entries checking; // by the keeper; idle but for that
    pool_entries closing;  // waiting for the closer, which takes them from the front
    std::int64_t being_closed = 0;
    bool closed = false;
    bool suspended = false;
    bool drained = false;                        // closed, and the last connection is gone
    bool keeping = false;                        // there is a keeper
    time_point suspected_at = time_point::min(); // when one last came back broken: the others may be, too

    waiters borrowers;    // "not empty": somebody waits for a connection
    waiters resting;      // openers between two attempts
    waiters closer;       // the closer, when it has nothing to do
    waiters closing_down; // those in close()
    time_point closer_wakes_at = never;

    // Failed attempts to open, since the last success.
    unsigned failures = 0;
    std::string first_cause;
    time_point next_attempt = time_point::min();
    std::vector<time_point> attempts; // the last `size` of them, in a ring
    std::size_t attempt_at = 0;
    std::minstd_rand random;

    pool_statistics counters; // only what counts from the start

    // Connections that are here to stay: neither being closed nor about to be.
    std::int64_t living() const noexcept { return open - closing.size() - being_closed; }
    bool is_expired(const pool_entry& entry, time_point time) const noexcept;
    bool is_doubtful(const pool_entry& entry, time_point time) const noexcept;

    // The next idle connection by `order`, now active; or nullptr. Closes expired ones on the way.
    pool_entry* take_idle(time_point time) noexcept;
    void lend(pool_entry& entry, time_point time, const scope* to) noexcept;
    // Where a connection goes that is new or comes back: to the oldest borrower, to the idle ones, or to the
    // closer.
    void place(pool_entry& entry, time_point time) noexcept;
    void retire(pool_entry& entry) noexcept; // to the closer; the entry is in no list
    void retire_idle(pool_entry& entry) noexcept;
    void close_expired(time_point time) noexcept;
    time_point look_at(const pool_entry& entry) const noexcept; // when the closer must; of an idle one
    time_point next_look() const noexcept;
    bool needs_keeper(time_point time) const noexcept;
    void note_broken(pool_entry& entry, time_point time) noexcept; // and the others are under suspicion
    void begin_closing() noexcept;

    // How many openers to start now, for those who wait and `newcomers` about to.
    std::int64_t openers_wanted(std::int64_t newcomers) const noexcept;
    // The same; they are counted as open from here on.
    std::int64_t reserve_openers(std::int64_t newcomers) noexcept;
    void forget_openers(std::int64_t count) noexcept;
    // Whether an opener whose attempt has failed should try again.
    bool opener_is_needed() const noexcept;
    // When the next attempt may begin: at once, unless attempts have failed.
    time_point attempt_allowed_at() const noexcept;
    void note_attempt(time_point time) noexcept;
    void note_failure(time_point time, std::string cause) noexcept;
    void note_success() noexcept;

    pool_statistics statistics() const noexcept;
};

// Starts fibers of the pool's own. Call without the lock.
void start_closer(const std::shared_ptr<pool_state>& state);
void start_openers(const std::shared_ptr<pool_state>& state, std::int64_t count);
// Checks those that were silent for `keepalive`, and ends. `keeping` is set already. False: there is no
// memory.
bool start_keeper(const std::shared_ptr<pool_state>& state) noexcept;

// Asks a connection whether it is there. Parks, for at most `check_budget`. Never throws.
bool is_alive(const pool_state& pool, const pool_entry& entry, time_point until);

} // namespace heddle::fiber
