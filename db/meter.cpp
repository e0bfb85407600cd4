// Books one operation's record.
#include <heddle/db/meter.hpp>

namespace heddle::db {

std::string_view name_of(outcome outcome) noexcept
{
    constexpr std::array<std::string_view, outcomes> names{"committed", "failed", "unknown",
                                                           "refused",   "pool",   "not_begun"};
    return names[static_cast<std::size_t>(outcome)];
}

void meter::book(const operation_record& record) noexcept
{
    outcomes_[static_cast<std::size_t>(record.outcome)].add();
    gate_wait_.record(record.gate_wait);
    if (record.outcome == outcome::refused)
        return;
    pool_wait_.record(record.pool_wait);
    if (record.outcome == outcome::pool)
        return;
    hold_.record(record.hold);
    statement_.record(record.statement);
    lock_wait_.record(record.lock_wait);
}

} // namespace heddle::db
