// Calendar arithmetic over PostgreSQL's whole range, which is wider than std::chrono's years.
#include "postgres/times.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace heddle::db::pg {

namespace {

constexpr std::int64_t second = 1'000'000; // microseconds
constexpr std::int64_t day = 86'400 * second;
constexpr std::int64_t to_epoch = 10'957; // days from 1970-01-01 to 2000-01-01

struct civil
{
    std::int64_t year; // 0 is 1 BC
    unsigned month;
    unsigned day;
};

// Days since 1970-01-01, in eras of 400 years that begin on the first of March: the leap day comes last.
// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms". std::chrono's years end at 32767.
civil civil_of(std::int64_t days) noexcept
{
    days += 719'468;
    const std::int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
    const auto of_era = static_cast<unsigned>(days - era * 146'097);
    const unsigned year = (of_era - of_era / 1460 + of_era / 36'524 - of_era / 146'096) / 365;
    const unsigned of_year = of_era - (365 * year + year / 4 - year / 100);
    const unsigned month = (5 * of_year + 2) / 153;
    return {.year = era * 400 + year + (month >= 10 ? 1 : 0),
            .month = month < 10 ? month + 3 : month - 9,
            .day = of_year - (153 * month + 2) / 5 + 1};
}

std::int64_t days_of(civil c) noexcept
{
    const std::int64_t year = c.year - (c.month <= 2 ? 1 : 0);
    const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
    const auto of_era = static_cast<unsigned>(year - era * 400);
    const unsigned of_year = (153 * (c.month > 2 ? c.month - 3 : c.month + 9) + 2) / 5 + c.day - 1;
    return era * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719'468;
}

class writer
{
public:
    explicit writer(char* to) noexcept : begin_(to), at_(to) {}

    writer& put(std::string_view text) noexcept
    {
        at_ = std::copy(text.begin(), text.end(), at_);
        return *this;
    }
    writer& number(std::int64_t n, int digits) noexcept
    {
        char text[20];
        const auto* const end = std::to_chars(text, text + sizeof text, n).ptr;
        for (auto missing = digits - (end - text); missing > 0; --missing)
            *at_++ = '0';
        at_ = std::copy(static_cast<const char*>(text), static_cast<const char*>(end), at_);
        return *this;
    }
    writer& date(const civil& c) noexcept
    {
        return number(c.year > 0 ? c.year : 1 - c.year, 4)
            .put("-")
            .number(c.month, 2)
            .put("-")
            .number(c.day, 2);
    }
    // "." and up to six digits, without zeros at the end; nothing for a whole second.
    writer& fraction(std::int64_t microseconds) noexcept
    {
        if (microseconds == 0)
            return *this;
        put(".").number(microseconds, 6);
        while (at_[-1] == '0')
            --at_;
        return *this;
    }
    std::string_view text() const noexcept { return {begin_, static_cast<std::size_t>(at_ - begin_)}; }

private:
    char* begin_;
    char* at_;
};

class reader
{
public:
    explicit reader(std::string_view text) noexcept : at_(text.data()), end_(text.data() + text.size()) {}

    std::int64_t number() noexcept
    {
        std::int64_t n = 0;
        at_ = std::from_chars(at_, end_, n).ptr;
        return n;
    }
    bool skip(char c) noexcept
    {
        if (at_ == end_ || *at_ != c)
            return false;
        ++at_;
        return true;
    }
    std::int64_t microseconds() noexcept
    {
        std::int64_t n = 0;
        for (std::int64_t worth = second / 10; at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_, worth /= 10)
            n += (*at_ - '0') * worth;
        return n;
    }
    std::int64_t hours_minutes_seconds() noexcept // in seconds; what is missing is zero
    {
        std::int64_t n = number() * 3600;
        if (skip(':'))
            n += number() * 60;
        if (skip(':'))
            n += number();
        return n;
    }
    std::string_view rest() const noexcept { return {at_, static_cast<std::size_t>(end_ - at_)}; }

private:
    const char* at_;
    const char* end_;
};

} // namespace

std::string_view write_date(std::int32_t days, char* to) noexcept
{
    if (days == std::numeric_limits<std::int32_t>::max())
        return "infinity";
    if (days == std::numeric_limits<std::int32_t>::min())
        return "-infinity";
    const auto date = civil_of(days + to_epoch);
    return writer(to).date(date).put(date.year > 0 ? "" : " BC").text();
}

std::string_view write_timestamp(std::int64_t microseconds, pg::zone zone, char* to) noexcept
{
    if (microseconds == std::numeric_limits<std::int64_t>::max())
        return "infinity";
    if (microseconds == std::numeric_limits<std::int64_t>::min())
        return "-infinity";
    auto days = microseconds / day;
    auto time = microseconds % day;
    if (time < 0) {
        time += day;
        --days;
    }
    const auto date = civil_of(days + to_epoch);
    const auto seconds = time / second;
    return writer(to)
        .date(date)
        .put("T")
        .number(seconds / 3600, 2)
        .put(":")
        .number(seconds / 60 % 60, 2)
        .put(":")
        .number(seconds % 60, 2)
        .fraction(time % second)
        .put(zone == zone::utc ? "Z" : "")
        .put(date.year > 0 ? "" : " BC")
        .text();
}

std::optional<std::int64_t> parse_timestamp(std::string_view text) noexcept
{
    if (text.ends_with("infinity"))
        return std::nullopt;
    reader from(text);
    civil date{};
    date.year = from.number();
    from.skip('-');
    date.month = static_cast<unsigned>(from.number());
    from.skip('-');
    date.day = static_cast<unsigned>(from.number());
    from.skip(' ');
    std::int64_t time = from.hours_minutes_seconds() * second;
    if (from.skip('.'))
        time += from.microseconds();
    if (from.skip('+'))
        time -= from.hours_minutes_seconds() * second;
    else if (from.skip('-'))
        time += from.hours_minutes_seconds() * second;
    if (from.rest() == " BC")
        date.year = 1 - date.year;
    return (days_of(date) - to_epoch) * day + time;
}

} // namespace heddle::db::pg
