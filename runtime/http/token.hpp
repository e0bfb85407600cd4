// Characters and names as HTTP compares and allows them, without a locale.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace heddle::http {

constexpr char lower(char c) noexcept
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool same_name(std::string_view a, std::string_view b) noexcept
{
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i != a.size(); ++i) {
        if (lower(a[i]) != lower(b[i]))
            return false;
    }
    return true;
}

// -1: it is no hexadecimal digit.
constexpr int hex_value(char c) noexcept
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (lower(c) >= 'a' && lower(c) <= 'f')
        return lower(c) - 'a' + 10;
    return -1;
}

constexpr bool is_alphanumeric(char c) noexcept
{
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z');
}

// Which bytes a token may have: a table, because every header of every answer is looked at.
// Source: RFC 9110 §5.6.2.
inline constexpr auto token_bytes = [] {
    std::array<bool, 256> allowed{};
    for (std::size_t i = 0; i != allowed.size(); ++i) {
        const char c = static_cast<char>(i);
        allowed[i] =
            is_alphanumeric(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    }
    return allowed;
}();

constexpr bool is_token(std::string_view text) noexcept
{
    for (const char c : text) {
        if (!token_bytes[static_cast<unsigned char>(c)])
            return false;
    }
    return !text.empty();
}

// What no line of a head or of a chunked body may have; a tab may be in it.
constexpr bool is_control(char c) noexcept
{
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 ? c != '\t' : byte == 0x7f;
}

// Whether `value` may stand in a header: a line break in it would begin another one. Source: RFC 9110 §5.5.
constexpr bool is_field_value(std::string_view value) noexcept
{
    for (const char c : value) {
        if (c == '\r' || c == '\n' || c == '\0')
            return false;
    }
    return true;
}

// Throws: error, when one of them is not allowed.
void check_field(std::string_view name, std::string_view value);

} // namespace heddle::http
