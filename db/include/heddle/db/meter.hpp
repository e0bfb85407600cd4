// What the operations of one lane waited for and how they ended: one record each, kept as counters and
// histograms.
#pragma once

#include <heddle/base/metrics.hpp>
#include <heddle/fiber/clock.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle::db {

enum class outcome : std::size_t
{
    committed,
    failed,    // the body or COMMIT threw: rolled back
    unknown,   // COMMIT's answer was lost
    refused,   // by the gate: full, timed out or cancelled, which the gate counts apart
    pool,      // no connection in time
    not_begun, // BEGIN failed, or the turn to write did not come in time
};

inline constexpr std::size_t outcomes = 6;

std::string_view name_of(outcome outcome) noexcept;

// One operation. Zero where it did not get that far.
struct operation_record
{
    fiber::duration gate_wait{};
    fiber::duration pool_wait{};
    fiber::duration hold{};      // from the lease to its return
    fiber::duration statement{}; // in the database, without BEGIN and COMMIT
    fiber::duration lock_wait{}; // for the turn to write, and for other processes
    db::outcome outcome = outcome::refused;
};

class meter
{
public:
    // Threads: any. Never parks.
    void book(const operation_record& record) noexcept;

    const counter& of(outcome outcome) const noexcept { return outcomes_[static_cast<std::size_t>(outcome)]; }
    const histogram& gate_wait() const noexcept { return gate_wait_; } // of all that came
    const histogram& pool_wait() const noexcept
    {
        return pool_wait_;
    } // of all that passed the gate; so the rest
    const histogram& hold() const noexcept { return hold_; }
    const histogram& statement() const noexcept { return statement_; }
    const histogram& lock_wait() const noexcept { return lock_wait_; }

private:
    std::array<counter, outcomes> outcomes_;
    histogram gate_wait_;
    histogram pool_wait_;
    histogram hold_;
    histogram statement_;
    histogram lock_wait_;
};

} // namespace heddle::db
