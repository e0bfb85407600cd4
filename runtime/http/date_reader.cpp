// Reads the three forms of an HTTP date.
#include "http/date.hpp"

#include <array>
#include <cstddef>

namespace heddle::http {

namespace {

constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> days = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                  "Thursday", "Friday", "Saturday"};

struct fields
{
    std::tm t{};
    bool is_short_year = false;
};

// Compares `text` with `form`: D two digits of the day, d the same or a space and one, H, M, S two digits
// each, b a month's name, Y a year, y one of two digits, m the letter M; all else stands for itself.
std::optional<fields> match(std::string_view text, std::string_view form)
{
    fields found;
    std::size_t at = 0;
    const auto number = [&](std::size_t size, int& to) {
        to = 0;
        for (std::size_t end = at + size; at < end; ++at) {
            if (at >= text.size() || text[at] < '0' || text[at] > '9')
                return false;
            to = to * 10 + (text[at] - '0');
        }
        return true;
    };
    const auto month = [&] {
        for (const std::string_view name : months) {
            if (text.substr(at, 3) == name) {
                at += 3;
                return true;
            }
            ++found.t.tm_mon;
        }
        return false;
    };
    const auto part = [&](char kind) {
        switch (kind) {
        case 'D':
            return number(2, found.t.tm_mday);
        case 'd':
            return at < text.size() && text[at] == ' ' ? number(1, (++at, found.t.tm_mday))
                                                       : number(2, found.t.tm_mday);
        case 'H':
            return number(2, found.t.tm_hour);
        case 'M':
            return number(2, found.t.tm_min);
        case 'S':
            return number(2, found.t.tm_sec);
        case 'b':
            return month();
        case 'Y':
            return number(4, found.t.tm_year);
        case 'y':
            found.is_short_year = true;
            return number(2, found.t.tm_year);
        case 'm':
            return at < text.size() && text[at++] == 'M';
        default:
            return at < text.size() && text[at++] == kind;
        }
    };
    for (const char kind : form) {
        if (!part(kind))
            return std::nullopt;
    }
    return at == text.size() ? std::optional(found) : std::nullopt;
}

int year_of(std::time_t at)
{
    std::tm t{};
    ::gmtime_r(&at, &t);
    return t.tm_year + 1900;
}

std::optional<std::time_t> in_seconds(fields f, std::time_t now)
{
    if (f.is_short_year) {
        const int this_year = year_of(now);
        f.t.tm_year += this_year / 100 * 100;
        if (f.t.tm_year > this_year + 50)
            f.t.tm_year -= 100;
    }
    f.t.tm_year -= 1900;
    if (f.t.tm_hour > 23 || f.t.tm_min > 59 || f.t.tm_sec > 60) // 60: a leap second
        return std::nullopt;
    std::tm again = f.t;
    const std::time_t seconds = ::timegm(&again);
    const bool is_real_day = f.t.tm_sec == 60 || (again.tm_mday == f.t.tm_mday && again.tm_mon == f.t.tm_mon);
    return is_real_day && f.t.tm_mday > 0 ? std::optional(seconds) : std::nullopt;
}

} // namespace

std::optional<std::time_t> parse_date(std::string_view text, std::time_t now)
{
    for (const std::string_view day : days) {
        if (!text.starts_with(day.substr(0, 3)))
            continue;
        const bool is_long = text.starts_with(day);
        const std::string_view rest = text.substr(is_long ? day.size() : 3);
        auto found = match(rest, is_long ? ", D-b-y H:M:S GmT" : ", D b Y H:M:S GmT");
        if (!found && !is_long)
            found = match(rest, " b d H:M:S Y");
        return found ? in_seconds(*found, now) : std::nullopt;
    }
    return std::nullopt;
}

} // namespace heddle::http
