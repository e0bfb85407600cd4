// Durations as PostgreSQL's settings take them.
#pragma once

#include <heddle/fiber/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

namespace heddle::db::pg {

// At least 1: 0 would be no limit.
inline std::string milliseconds(fiber::duration d)
{
    const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
    return std::to_string(std::max<std::int64_t>(1, whole));
}

} // namespace heddle::db::pg
