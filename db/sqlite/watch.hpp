// What happens while a statement of one connection runs or waits for a lock: it stops when its request ends,
// a long one moves to the compute worker, and a locked one parks. SQLite calls back for each of these.
#pragma once

#include <heddle/fiber/clock.hpp>

#include <atomic>
#include <cstdint>

struct sqlite3;

namespace heddle::db::lite {

class watch
{
public:
    watch(fiber::duration lock_budget, fiber::duration statement_ceiling) noexcept;
    watch(const watch&) = delete;
    watch& operator=(const watch&) = delete;

    // `this` must stay where it is until the handle is closed. `may_move`: long statements go to the compute
    // worker.
    void attach(sqlite3* handle, bool may_move) noexcept;

    // A statement begins, on a fiber.
    void begin() noexcept;
    // It goes on, or another one that is open does.
    void stepping(bool reads_only) noexcept { reads_only_ = reads_only; }
    // Throws: error(deadline) if the statement that was stopped last has run for too long.
    void check_ceiling() const;
    // It has ended, or the transaction has: back to a normal worker. Parks.
    void end();

    // While one lives, nothing stops a statement: around COMMIT and ROLLBACK.
    class protection
    {
    public:
        explicit protection(watch& watch) noexcept : watch_(watch) { watch_.protected_ = true; }
        ~protection() { watch_.protected_ = false; }
        protection(const protection&) = delete;
        protection& operator=(const protection&) = delete;

    private:
        watch& watch_;
    };

    // While one lives, the connection is used by a helper thread, which sleeps where a fiber would park.
    class on_helper_thread
    {
    public:
        explicit on_helper_thread(watch& watch) noexcept : watch_(watch) { watch_.helper_ = true; }
        ~on_helper_thread() { watch_.helper_ = false; }
        on_helper_thread(const on_helper_thread&) = delete;
        on_helper_thread& operator=(const on_helper_thread&) = delete;

    private:
        watch& watch_;
    };

    // From now on statements stop when `*interrupted` gets true, which is its user's, so that nobody else's
    // are meant. Each statement begins with false. Must live until the next use(); may be nullptr.
    void use(std::atomic<bool>* interrupted) noexcept { interrupted_ = interrupted; }

    // Whether others have finished in the same outer transaction. SQLite undoes all of it when a statement
    // that writes is stopped: then such a one goes on after the end of its scope, for `lock_budget`, which is
    // how long those who queue behind it wait at most.
    void spare_neighbours(bool there_are_some) noexcept { has_neighbours_ = there_are_some; }

    // After an attempt, 0 being the first, that met another's lock: parks for a moment. Returns whether to
    // try again.
    bool wait_for_lock(int attempt);

    // Waited for other processes' locks so far.
    fiber::duration lock_wait() const noexcept { return lock_wait_; }

private:
    bool must_stop();
    bool is_spared(fiber::time_point now) noexcept;
    void share_worker(fiber::time_point now);
    fiber::duration pause_before(int attempt) noexcept;

    const fiber::duration lock_budget_;
    const fiber::duration statement_ceiling_;
    bool may_move_ = false;
    bool protected_ = false;
    bool helper_ = false;
    bool reads_only_ = false;
    bool has_neighbours_ = false;
    bool moved_ = false; // the fiber is on the compute worker because of us
    std::atomic<bool>* interrupted_ = nullptr;
    fiber::time_point spared_since_ = fiber::never;
    bool over_ceiling_ = false;
    fiber::time_point ends_ = fiber::never; // the ceiling of the statement that was begun last
    fiber::time_point slice_began_;         // since when the fiber has had its worker, at least
    fiber::duration lock_wait_{};
    fiber::duration this_lock_wait_{}; // of the lock that is being waited for
    std::uint32_t random_;             // a state, never 0
};

} // namespace heddle::db::lite
