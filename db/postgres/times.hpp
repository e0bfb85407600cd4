// Days and instants as text: RFC 3339 where the year has four digits, PostgreSQL's way beyond ("... BC",
// "infinity"). One form for both wire formats and for every setting of the session's time zone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::db::pg {

// The longest: "294276-12-31T23:59:59.999999Z BC", and the BC years are shorter.
inline constexpr std::size_t longest_time = 48;

enum class zone
{
    none, // timestamp: whatever clock it was read from
    utc,  // timestamptz
};

// `days` since 2000-01-01. Writes to `to`, which has room for longest_time.
std::string_view write_date(std::int32_t days, char* to) noexcept;

// `microseconds` since 2000-01-01T00:00:00.
std::string_view write_timestamp(std::int64_t microseconds, pg::zone zone, char* to) noexcept;

// PostgreSQL's own text with DateStyle ISO, "2026-01-01 12:00:00.5+02", in microseconds since
// 2000-01-01T00:00:00 (in UTC, if it has an offset). Nothing for "infinity".
std::optional<std::int64_t> parse_timestamp(std::string_view text) noexcept;

} // namespace heddle::db::pg
