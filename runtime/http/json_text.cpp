#include "http/json_text.hpp"

#include "http/utf8.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace heddle::http {
namespace {

bool is_digit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

std::size_t skip_digits(std::string_view text, std::size_t at) noexcept
{
    while (at != text.size() && is_digit(text[at]))
        ++at;
    return at;
}

// Whether `value` is the very integer that `digits` are: every double is written in full, without rounding,
// and compared.
bool is_same_integer(double value, std::string_view digits) noexcept
{
    constexpr std::size_t always_exact = 15; // every integer of so many digits is a double
    if (digits.size() <= always_exact)
        return true;
    std::array<char, 320> text; // the greatest double has 309 digits
    const auto written =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 0);
    return std::string_view(text.data(), static_cast<std::size_t>(written.ptr - text.data())) == digits;
}

void append_utf8(std::string& out, std::uint32_t point)
{
    const auto tail = [&out](std::uint32_t bits) { out += static_cast<char>(0x80 | (bits & 0x3F)); };
    if (point < 0x80) {
        out += static_cast<char>(point);
    } else if (point < 0x800) {
        out += static_cast<char>(0xC0 | (point >> 6));
        tail(point);
    } else if (point < 0x10000) {
        out += static_cast<char>(0xE0 | (point >> 12));
        tail(point >> 6);
        tail(point);
    } else {
        out += static_cast<char>(0xF0 | (point >> 18));
        tail(point >> 12);
        tail(point >> 6);
        tail(point);
    }
}

// The four hexadecimal digits at the front of `text`.
std::optional<std::uint32_t> take_unit(std::string_view& text) noexcept
{
    std::uint32_t unit = 0;
    if (text.size() < 4)
        return std::nullopt;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + 4, unit, 16);
    if (failure != std::errc() || end != text.data() + 4)
        return std::nullopt;
    text.remove_prefix(4);
    return unit;
}

// What follows "\u". A character beyond U+FFFF is written as a pair of surrogates.
bool append_code_point(std::string& out, std::string_view& rest)
{
    const auto first = take_unit(rest);
    if (!first || (*first >= 0xDC00 && *first <= 0xDFFF))
        return false;
    if (*first < 0xD800 || *first > 0xDFFF) {
        append_utf8(out, *first);
        return true;
    }
    if (rest.substr(0, 2) != "\\u")
        return false;
    rest.remove_prefix(2);
    const auto second = take_unit(rest);
    if (!second || *second < 0xDC00 || *second > 0xDFFF)
        return false;
    append_utf8(out, 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00));
    return true;
}

// What follows a backslash.
const char* append_escape(std::string& out, std::string_view& rest)
{
    constexpr std::string_view names = "\"\\/bfnrt";
    constexpr std::string_view values = "\"\\/\b\f\n\r\t";
    const char c = rest.empty() ? '\0' : rest.front();
    if (!rest.empty())
        rest.remove_prefix(1);
    if (c == 'u')
        return append_code_point(out, rest) ? nullptr : "has an escape that is no character";
    const std::size_t index = c == '\0' ? std::string_view::npos : names.find(c);
    if (index == std::string_view::npos)
        return "has an unknown escape";
    out += values[index];
    return nullptr;
}

} // namespace

std::size_t number_length(std::string_view text) noexcept
{
    std::size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
    const std::size_t whole = at;
    at = skip_digits(text, at);
    if (at == whole || (text[whole] == '0' && at - whole > 1))
        return 0;
    if (at != text.size() && text[at] == '.') {
        const std::size_t fraction = at + 1;
        at = skip_digits(text, fraction);
        if (at == fraction)
            return 0;
    }
    if (at != text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        if (at != text.size() && (text[at] == '+' || text[at] == '-'))
            ++at;
        const std::size_t exponent = at;
        at = skip_digits(text, exponent);
        if (at == exponent)
            return 0;
    }
    return at;
}

std::optional<double> to_double(std::string_view number) noexcept
{
    double value = 0;
    const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (failure != std::errc() || !std::isfinite(value))
        return std::nullopt;
    if (number.find_first_of(".eE") == std::string_view::npos && !is_same_integer(value, number))
        return std::nullopt;
    return value;
}

const char* append_unescaped(std::string& out, std::string_view raw)
{
    while (!raw.empty()) {
        std::size_t plain = 0;
        while (plain != raw.size() && raw[plain] >= ' ' && raw[plain] != '\\')
            ++plain;
        out.append(raw.substr(0, plain));
        raw.remove_prefix(plain);
        if (raw.empty())
            break;
        if (raw.front() == '\\') {
            raw.remove_prefix(1);
            if (const char* fault = append_escape(out, raw))
                return fault;
            continue;
        }
        const std::size_t length = utf8_length(raw.data(), raw.data() + raw.size());
        if (length == 0)
            return "is no UTF-8";
        if (length == 1)
            return "has a control character";
        out.append(raw.substr(0, length));
        raw.remove_prefix(length);
    }
    return nullptr;
}

} // namespace heddle::http
