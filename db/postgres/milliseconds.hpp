// Durations as PostgreSQL's settings take them.
#pragma once

#include <heddle/fiber/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

namespace heddle::db::pg {

// At least 1: 0 would be no limit. At most what a setting can be: 24 days.
inline std::string milliseconds(fiber::duration d)
{
    const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
    return std::to_string(std::clamp<std::int64_t>(whole, 1, std::numeric_limits<std::int32_t>::max()));
}

} // namespace heddle::db::pg
