// The rarer conversions: exact numbers, and what a text must be to be a time.
#include <heddle/db/codec.hpp>

#include "time_text.hpp"

#include <charconv>
#include <limits>
#include <system_error>

namespace heddle::db {

std::optional<std::int64_t> whole_number(const value& from) noexcept
{
    if (from.type() == value_type::integer)
        return from.as_integer();
    if (from.type() != value_type::decimal)
        return std::nullopt;
    std::string_view digits = from.as_text();
    if (const auto point = digits.find('.'); point != std::string_view::npos) {
        if (digits.find_first_not_of('0', point + 1) != std::string_view::npos)
            return std::nullopt;
        digits = digits.substr(0, point);
    }
    std::int64_t n = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
    return failed == std::errc{} && end == digits.data() + digits.size() ? std::optional(n) : std::nullopt;
}

double nearest_double(std::string_view digits) noexcept
{
    double x = 0;
    const auto failed = std::from_chars(digits.data(), digits.data() + digits.size(), x).ec;
    if (failed == std::errc::result_out_of_range && digits.find_first_of("123456789") < digits.find('.'))
        return (digits.front() == '-' ? -1 : 1) * std::numeric_limits<double>::infinity();
    return x;
}

bool codec<std::chrono::sys_days>::decode(const value& from, std::chrono::sys_days& to)
{
    if (from.type() != value_type::text)
        return false;
    const auto days = parse_date(from.as_text());
    if (!days)
        return false;
    to = std::chrono::sys_days(std::chrono::days(*days));
    return true;
}

std::optional<std::chrono::microseconds> read_moment(const value& from, bool in_utc) noexcept
{
    constexpr std::int64_t day = 86'400'000'000;
    constexpr std::int64_t most_days = std::numeric_limits<std::int64_t>::max() / day - 1;
    if (from.type() != value_type::text)
        return std::nullopt;
    const auto read = parse_moment(from.as_text());
    if (!read || read->has_offset != in_utc || read->at.days > most_days || read->at.days < -most_days)
        return std::nullopt;
    return std::chrono::microseconds(read->at.days * day + read->at.microseconds);
}

} // namespace heddle::db
