// PostgreSQL counts days and microseconds from 2000-01-01.
#pragma once

#include "time_text.hpp"

#include <cstdint>

namespace heddle::db::pg {

inline constexpr std::int64_t epoch_days = 10'957; // since 1970-01-01
inline constexpr std::int64_t day_microseconds = 86'400'000'000;

constexpr moment since_2000(std::int64_t microseconds) noexcept
{
    std::int64_t days = microseconds / day_microseconds;
    std::int64_t rest = microseconds % day_microseconds;
    if (rest < 0) { // so, as days * day_microseconds may be less than the least number there is
        --days;
        rest += day_microseconds;
    }
    return {epoch_days + days, rest};
}

} // namespace heddle::db::pg
