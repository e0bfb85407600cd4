// Digits and dashes first: std::from_chars alone would take "-202-01-01".
#include "day.hpp"

#include <algorithm>
#include <chrono>

namespace orders {

namespace {

constexpr std::string_view shape = "dddd-dd-dd"; // d: a digit

bool has_shape(std::string_view text) noexcept
{
    return std::equal(text.begin(), text.end(), shape.begin(), shape.end(),
                      [](char c, char wanted) { return wanted == 'd' ? c >= '0' && c <= '9' : c == wanted; });
}

int number(std::string_view digits) noexcept
{
    int n = 0;
    for (const char digit : digits)
        n = 10 * n + (digit - '0');
    return n;
}

} // namespace

bool is_day(std::string_view text) noexcept
{
    if (!has_shape(text))
        return false;
    const std::chrono::year_month_day day{
        std::chrono::year(number(text.substr(0, 4))),
        std::chrono::month(static_cast<unsigned>(number(text.substr(5, 2)))),
        std::chrono::day(static_cast<unsigned>(number(text.substr(8, 2))))};
    return day.ok();
}

} // namespace orders
