// What pool<T> does that does not depend on T: limits, queue, order, opening and closing. Use
// <heddle/fiber/pool.hpp>.
#pragma once

#include <heddle/fiber/clock.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

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
    std::string name = "pool";
    std::int64_t size = 8;     // most connections, with those being opened and closed
    std::int64_t min_idle = 0; // kept open though nobody needs them
    duration acquire_budget = std::chrono::milliseconds(500); // longest wait of a borrower
    duration connect_budget = std::chrono::seconds(1);        // for opening one
    duration close_budget = std::chrono::seconds(1);          // for closing one
    duration max_idle = std::chrono::minutes(5);              // unused for longer: closed; zero: kept
    duration max_lifetime = duration::zero();                 // older: closed when it is returned; zero: kept
    duration check_after = std::chrono::seconds(1); // unused for longer: checked before it is leased
    duration check_budget = std::chrono::milliseconds(200);
    idle_order order = idle_order::most_recent;
};

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

struct pool_entry;
struct pool_state;

// What is known of T only by pool<T>.
struct pool_hooks
{
    std::function<void*()> open;          // parks; null and exceptions are failures
    std::function<void(void*)> close;     // parks; destroys what open() made
    std::function<bool(void*)> check;     // parks; false and exceptions: it is dead. May be empty
    std::function<void(void*)> interrupt; // under the pool's spin lock: short, never parks nor throws. May be empty
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
    [[noreturn]] static void refuse_returned();

private:
    std::shared_ptr<pool_state> state_;
};

} // namespace heddle::fiber
