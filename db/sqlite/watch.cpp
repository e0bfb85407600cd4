// Answers SQLite's two questions, in the middle of its call: go on? and: try the lock again?
#include "sqlite/watch.hpp"

#include <heddle/db/error.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>

#include "fiber/park.hpp"
#include "fiber/spawn.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace heddle::db::lite {

using namespace std::chrono_literals;

namespace {

// SQLite asks after this many instructions of its virtual machine: some 10 to 50 us.
constexpr int instructions_between_questions = 1000;
// A statement that has run for so long goes on as a guest of the compute worker.
constexpr fiber::duration long_statement = 200us;
// So long it keeps the compute worker from other guests, and a statement that must stay its worker from other
// fibers.
constexpr fiber::duration guest_slice = 5ms;
constexpr fiber::duration slice = 1ms;
constexpr fiber::duration shortest_pause = 10us;
constexpr fiber::duration longest_pause = 10ms;

} // namespace

watch::watch(fiber::duration lock_budget, fiber::duration statement_ceiling) noexcept
    : lock_budget_(lock_budget),
      statement_ceiling_(statement_ceiling > fiber::duration::zero() ? statement_ceiling
                                                                     : fiber::duration::max()),
      random_(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(this) >> 4) | 1U)
{
}

void watch::attach(sqlite3* handle, bool may_move) noexcept
{
    may_move_ = may_move;
    sqlite3_busy_handler(
        handle,
        [](void* self, int attempt) { return static_cast<watch*>(self)->wait_for_lock(attempt) ? 1 : 0; },
        this);
    sqlite3_progress_handler(
        handle, instructions_between_questions,
        [](void* self) { return static_cast<watch*>(self)->must_stop() ? 1 : 0; }, this);
}

void watch::begin() noexcept
{
    if (interrupted_) // it was meant for an earlier statement
        interrupted_->store(false, std::memory_order_relaxed);
    spared_since_ = fiber::never;
    slice_began_ = fiber::now();
    ends_ = slice_began_ + std::min(statement_ceiling_, fiber::never - slice_began_);
    over_ceiling_ = false;
}

void watch::check_ceiling() const
{
    if (over_ceiling_)
        throw error(kind::deadline, "the statement ran for longer than statement_ceiling allows");
}

void watch::end()
{
    if (!moved_)
        return;
    moved_ = false;
    fiber::move_to_normal_worker();
}

bool watch::must_stop()
{
    if (helper_ || protected_)
        return false;
    const auto* const scope = fiber::scope::current();
    const bool should =
        (interrupted_ && interrupted_->load(std::memory_order_relaxed)) || (scope && scope->has_ended());
    const auto now = fiber::now();
    if ((should || now >= ends_) && !is_spared(now)) {
        over_ceiling_ = !should;
        return true;
    }
    share_worker(now);
    return false;
}

bool watch::is_spared(fiber::time_point now) noexcept
{
    if (!has_neighbours_ || reads_only_)
        return false;
    if (spared_since_ == fiber::never)
        spared_since_ = now;
    return now - spared_since_ < lock_budget_;
}

void watch::share_worker(fiber::time_point now)
{
    const bool is_guest = fiber::on_compute_worker();
    const auto lasted = now - slice_began_;
    if (lasted <= (is_guest ? guest_slice : may_move_ ? long_statement : slice))
        return;
    if (may_move_) {
        if (is_guest) // to the end of its queue
            fiber::move_to_normal_worker();
        else
            moved_ = true;
        fiber::move_to_compute_worker();
    }
    if (!fiber::on_compute_worker()) // also where there is none
        fiber::yield();
    slice_began_ = fiber::now();
}

bool watch::wait_for_lock(int attempt)
{
    if (attempt == 0)
        this_lock_wait_ = {};
    if (this_lock_wait_ >= lock_budget_)
        return false;
    const auto pause = pause_before(attempt);
    if (helper_) {
        std::this_thread::sleep_for(pause);
        this_lock_wait_ += pause;
        lock_wait_ += pause;
        return true;
    }
    const auto began = fiber::now();
    const auto outcome = fiber::park_alone(
        {.reason = "sqlite lock", .until = fiber::after(pause), .interruptible = !protected_});
    const auto lasted = fiber::now() - began;
    this_lock_wait_ += lasted;
    lock_wait_ += lasted;
    return outcome != fiber::wake::deadline && outcome != fiber::wake::cancelled;
}

// Doubles, and spreads by half, so that those who wait for one lock do not come back together.
fiber::duration watch::pause_before(int attempt) noexcept
{
    random_ ^= random_ << 13;
    random_ ^= random_ >> 17;
    random_ ^= random_ << 5;
    const auto longest =
        std::min<fiber::duration>(longest_pause, shortest_pause * (1 << std::min(attempt, 12)));
    const auto pause = longest / 2 + longest / 2 * (random_ % 1024) / 1024;
    return std::min(pause, std::max<fiber::duration>(lock_budget_ - this_lock_wait_, 1us));
}

} // namespace heddle::db::lite
