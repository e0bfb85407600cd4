// Days and moments as text: RFC 3339 where the year has four digits, PostgreSQL's way beyond ("... BC"). One
// form whatever the database, its wire format and its session's time zone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::db {

// The longest: "294276-12-31T23:59:59.999999Z BC", and the BC years are shorter.
inline constexpr std::size_t longest_time = 48;

enum class zone
{
    none, // whatever clock it was read from
    utc,
};

// `days` since 1970-01-01. Writes to `to`, which has room for longest_time.
std::string_view write_date(std::int64_t days, char* to) noexcept;

// A point on a clock's line. Two numbers, because PostgreSQL's last years are more microseconds than 64 bits
// hold.
struct moment
{
    std::int64_t days;         // since 1970-01-01
    std::int64_t microseconds; // of that day
};

std::string_view write_moment(const moment& m, db::zone zone, char* to) noexcept;

// "2026-01-01", in days since 1970-01-01. Nothing for anything else.
std::optional<std::int64_t> parse_date(std::string_view text) noexcept;

struct parsed_moment
{
    moment at; // in UTC if there is an offset
    bool has_offset;
};

// "2026-01-01T12:00:00.5Z"; a space may stand for the T, "12:00" for the time, and an offset "+02", "+02:30"
// or
// "+05:21:10" for the Z. Nothing for anything else.
std::optional<parsed_moment> parse_moment(std::string_view text) noexcept;

} // namespace heddle::db
