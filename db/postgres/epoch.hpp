// PostgreSQL counts days and microseconds from 2000-01-01.
#pragma once

#include "time_text.hpp"

#include <cstdint>

namespace heddle::db::pg {

inline constexpr std::int64_t epoch_days = 10'957; // since 1970-01-01
inline constexpr std::int64_t day_microseconds = 86'400'000'000;

constexpr moment since_2000(std::int64_t microseconds) noexcept
{
    const bool before = microseconds < 0;
    const std::int64_t days =
        before ? (microseconds + 1) / day_microseconds - 1 : microseconds / day_microseconds;
    return {epoch_days + days, microseconds - days * day_microseconds};
}

} // namespace heddle::db::pg
