// What pool<T> does that does not depend on T: limits, queue, order, opening and closing. Use
// <heddle/fiber/pool.hpp>.
#pragma once

#include <heddle/fiber/clock.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::fiber {

// Of a pool's connections.
inline constexpr std::int64_t max_pool_size = 100'000;

// Which idle connection is leased next. Waiters are always served in the order in which they came.
enum class idle_order
{
    most_recent,  // the one returned last: the others get old and are closed
    least_recent, // the one returned first: all stay warm
    oldest,       // the one opened first
};

struct pool_options
{
    std::string name = "pool"; // in messages and log lines

    // Most connections, with those being opened and closed. Few: a database works best with about twice as
    // many as it has processors, and the queue before them is shorter than the one inside it.
    std::int64_t size = 8;
    // Kept open though nobody needs them, so that the first of a burst does not wait for a handshake.
    std::int64_t min_idle = 0;

    // Longest wait of a borrower. Short: who waits longer is better told to come back.
    duration acquire_budget = std::chrono::milliseconds(500);
    // For opening one, with look-up, TLS and log-in.
    duration connect_budget = std::chrono::seconds(1);
    // Being opened at the same time, at most. Each costs the database a process, a handshake and a log-in:
    // one that has just come up again is not met by a whole pool at once, and borrowers are served by those
    // that come back meanwhile. More only where opening takes long because of the way, not of the database.
    std::int64_t opening_at_once = 4;
    // For closing one. It counts until then.
    duration close_budget = std::chrono::seconds(1);

    // Unused for longer: closed, but for `min_idle`. A database pays for each, also for an idle one. Zero:
    // kept.
    duration max_idle = std::chrono::minutes(5);
    // Older by 90 to 100 % of it, so that those opened together do not end together: closed, when it is idle.
    // For databases that move, and for servers whose processes grow. Zero: kept.
    duration max_lifetime = duration::zero();

    // Not used for longer: checked before it is leased, which costs a round trip. So is one that was last
    // used before another came back broken, as after a restart of the database.
    duration check_after = std::chrono::seconds(1);
    // For the answer; then it is taken for dead, and the borrower gets the next.
    duration check_budget = std::chrono::milliseconds(200);
    // Idle ones are checked as often as this, so that nothing on the way (a firewall, a server's idle time)
    // takes them for dead. Choose less than its limit. Zero: not.
    duration keepalive = duration::zero();

    idle_order order = idle_order::most_recent;

    // Leased for longer: one line in the log, with the borrower's route, request and last statement, and one
    // when it is back. Zero: none.
    duration leak_after = std::chrono::minutes(1);
    // Leased for longer: the borrower is cancelled and what the connection does is interrupted. Its lease
    // then throws, and the place is free once it was given back and closed. Zero, the default: never, since a
    // borrower that is only slow would lose its work.
    duration reclaim_after = duration::zero();
};

// What cannot work, one line each.
std::vector<std::string> faults_in(const pool_options& options);

struct pool_statistics
{
    std::int64_t open = 0; // all of those below
    std::int64_t opening = 0;
    std::int64_t active = 0; // leased
    std::int64_t idle = 0;
    std::int64_t closing = 0;
    std::int64_t waiting = 0; // borrowers

    std::uint64_t leased = 0; // since the start, as all that follow
    std::uint64_t timed_out = 0;
    std::uint64_t cancelled = 0;
    std::uint64_t opened = 0;
    std::uint64_t failed_to_open = 0;
    std::uint64_t closed = 0;
    duration waited = duration::zero(); // by all borrowers together, whether they got one or not
};

class scope;
struct pool_entry;
struct pool_state;

// What is known of T only by pool<T>.
struct pool_hooks
{
    std::function<void*()> open;      // parks; null and exceptions are failures
    std::function<void(void*)> close; // parks; destroys what open() made
    std::function<bool(void*)> check; // parks; false and exceptions: it is dead. May be empty
    // Under the pool's spin lock: short, never parks nor throws. May be empty.
    std::function<void(void*)> interrupt;
    std::function<bool(void*)> keep; // short, never parks nor throws; false: close it. May be empty
};

class pool_core
{
public:
    pool_core(pool_options options, pool_hooks hooks);
    ~pool_core();
    pool_core(const pool_core&) = delete;
    pool_core& operator=(const pool_core&) = delete;

    pool_entry* acquire();
    void close(duration grace);
    void resize(std::int64_t size);
    void suspend() noexcept;
    void resume() noexcept;
    void clear() noexcept;

    const std::string& name() const noexcept;
    pool_statistics statistics() const noexcept;

    // These need no pool any more: the state lives until the last entry is closed.
    static void give_back(pool_entry* entry, bool broken) noexcept;
    static void* object_of(const pool_entry* entry) noexcept;
    static const void* owner_of(const pool_entry* entry) noexcept;
    static const char* name_of(const pool_entry* entry) noexcept;
    // The entry if its borrower may be cancelled, or nullptr.
    static pool_entry* may_reclaim(pool_entry* entry) noexcept;
    // Where the borrower works; nullptr: nowhere any more. After that it is not being cancelled.
    static void set_scope(pool_entry* entry, scope* scope) noexcept;
    static void note_work(pool_entry* entry, std::string_view text) noexcept;
    static bool is_reclaimed(const pool_entry* entry) noexcept;
    [[noreturn]] static void refuse_returned();

private:
    std::shared_ptr<pool_state> state_;
};

} // namespace heddle::fiber
