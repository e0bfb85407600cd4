// Calendar arithmetic over PostgreSQL's whole range, which is wider than std::chrono's years.
#include "time_text.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace heddle::db {

namespace {

constexpr std::int64_t second = 1'000'000; // microseconds
constexpr std::int64_t day = 86'400 * second;
constexpr std::int64_t most_year = 6'000'000; // beyond PostgreSQL's last date, and far from an overflow

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

unsigned days_in(std::int64_t year, unsigned month) noexcept
{
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 ? (leap ? 29 : 28) : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

// Reads on as long as all is well; what is asked after a failure is 0, and the end is not reached.
class reader
{
public:
    explicit reader(std::string_view text) noexcept : at_(text.data()), end_(text.data() + text.size()) {}

    bool skip(char c) noexcept
    {
        if (at_ == end_ || *at_ != c)
            return false;
        ++at_;
        return true;
    }
    void expect(char c) noexcept { fine_ = fine_ && skip(c); }

    // A number of so many digits, and no larger than `most`.
    std::int64_t number(int least_digits, int most_digits, std::int64_t most) noexcept
    {
        std::int64_t n = 0;
        int digits = 0;
        for (; digits < most_digits && at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_, ++digits)
            n = n * 10 + (*at_ - '0');
        fine_ = fine_ && digits >= least_digits && n <= most;
        return fine_ ? n : 0;
    }

    // The year counts from 1 here: whether it is one BC stands at the text's end.
    civil date() noexcept
    {
        const std::int64_t year = number(4, 7, most_year);
        expect('-');
        const auto month = static_cast<unsigned>(number(2, 2, 12));
        expect('-');
        return {.year = year, .month = month, .day = static_cast<unsigned>(number(2, 2, 31))};
    }
    civil in_era(civil date) noexcept
    {
        fine_ = fine_ && date.year > 0 && date.month > 0 && date.day > 0;
        if (end_ - at_ == 3 && std::string_view(at_, 3) == " BC") {
            at_ = end_;
            date.year = 1 - date.year;
        }
        fine_ = fine_ && date.day <= days_in(date.year, date.month);
        return date;
    }
    std::int64_t seconds_of_day() noexcept // and of an offset: ":MM" and ":SS" may be missing
    {
        std::int64_t n = number(2, 2, 24) * 3600;
        if (skip(':'))
            n += number(2, 2, 59) * 60;
        if (skip(':'))
            n += number(2, 2, 60); // a leap second is the next minute's first
        return n;
    }
    std::int64_t fraction() noexcept // ".5", in microseconds; digits beyond are cut off
    {
        if (!skip('.'))
            return 0;
        std::int64_t n = 0;
        std::int64_t worth = second / 10;
        for (; at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_, worth /= 10)
            n += (*at_ - '0') * worth;
        fine_ = fine_ && worth != second / 10;
        return n;
    }

    bool ended_well() const noexcept { return fine_ && at_ == end_; }

private:
    const char* at_;
    const char* end_;
    bool fine_ = true;
};

} // namespace

std::string_view write_date(std::int64_t days, char* to) noexcept
{
    const auto date = civil_of(days);
    return writer(to).date(date).put(date.year > 0 ? "" : " BC").text();
}

std::string_view write_moment(const moment& m, db::zone zone, char* to) noexcept
{
    const auto date = civil_of(m.days);
    const auto seconds = m.microseconds / second;
    return writer(to)
        .date(date)
        .put("T")
        .number(seconds / 3600, 2)
        .put(":")
        .number(seconds / 60 % 60, 2)
        .put(":")
        .number(seconds % 60, 2)
        .fraction(m.microseconds % second)
        .put(zone == zone::utc ? "Z" : "")
        .put(date.year > 0 ? "" : " BC")
        .text();
}

std::optional<std::int64_t> parse_date(std::string_view text) noexcept
{
    reader from(text);
    const civil date = from.in_era(from.date());
    return from.ended_well() ? std::optional(days_of(date)) : std::nullopt;
}

std::optional<parsed_moment> parse_moment(std::string_view text) noexcept
{
    reader from(text);
    const civil date = from.date();
    if (!from.skip('T'))
        from.expect(' ');
    std::int64_t time = from.seconds_of_day() * second + from.fraction();
    bool has_offset = from.skip('Z');
    if (!has_offset && from.skip('+')) {
        has_offset = true;
        time -= from.seconds_of_day() * second;
    } else if (!has_offset && from.skip('-')) {
        has_offset = true;
        time += from.seconds_of_day() * second;
    }
    const std::int64_t days = days_of(from.in_era(date));
    if (!from.ended_well())
        return std::nullopt;
    const std::int64_t carried = time >= 0 ? time / day : (time - day + 1) / day;
    return parsed_moment{{days + carried, time - carried * day}, has_offset};
}

} // namespace heddle::db
