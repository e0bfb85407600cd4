// Who has a connection of a pool, and since when: for the log line about one that is held for too long, and
// for taking it back.
#pragma once

#include <heddle/fiber/pool_core.hpp>

#include "fiber/spin.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <string_view>

namespace heddle::fiber {

// Of at most `Size` bytes: what is longer is cut.
template <std::size_t Size>
class short_text
{
public:
    void set(std::string_view text) noexcept { size_ = text.copy(bytes_.data(), Size); }
    std::string_view view() const noexcept { return {bytes_.data(), size_}; }

private:
    std::array<char, Size> bytes_;
    std::size_t size_ = 0;
};

// A copy of what its scope says: the lease may outlive that.
struct borrower_note
{
    time_point since = never;
    short_text<64> route;
    short_text<40> request;
    short_text<200> work; // what it does, or did last: a statement
};

struct loan
{
    // Called with the pool's lock held, as all but the last members are used.
    void begin(time_point time, const pool_options& options, const scope* to) noexcept;
    // By the borrower's fiber only.
    void note_work(std::string_view text) noexcept;
    // A copy of the note, with the pool's lock held: the loan cannot have become another one's.
    borrower_note read() noexcept;
    // When the next thing is to be done about it; never if nothing is.
    time_point overdue_at(const pool_options& options) const noexcept;

    borrower_note note;                  // but for `work`
    bool told = false;                   // it is in the log
    std::atomic<bool> reclaimed = false; // the lease reads it without a lock

    // Guards `note.work`, which the borrower changes with each statement while the closer may read it. A
    // copy, so that a text need not live any longer than its statement. Taken last of all locks, and by
    // nobody but the borrower as long as nothing is overdue: that costs less than a hundredth of the shortest
    // statement.
    spin work_lock;

    spin scope_lock; // guards `borrower`, also while that is being cancelled; never taken under the pool's
    scope* borrower = nullptr; // where it works, if it says so
};

// Writes a line about a loan. Call without a lock.
void log_loan(const char* what, const std::string& pool, const borrower_note& note, time_point time) noexcept;

// Deals with the first loan that is overdue: a line in the log, or taking it back. Lets go of the lock
// meanwhile. For the closer, the only fiber that has entries closed. False if there is none.
bool end_overdue_loan(pool_state& pool, spin_lock& guard);

} // namespace heddle::fiber
