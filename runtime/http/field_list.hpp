// Fields whose value is a list: its elements, one by one. A comma inside quotes is a part of its element.
// Source: RFC 9110 sections 5.6.1 and 5.6.4.
#pragma once

#include "http/token.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace heddle::http {

constexpr std::string_view trimmed(std::string_view text) noexcept
{
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && is_blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back()))
        text.remove_suffix(1);
    return text;
}

// Cuts what is before the first `separator` outside of quotes off the front of `rest`, and returns it
// trimmed. In an entity tag a backslash is a byte like others, so `escapes` says whether it is one.
constexpr std::string_view take_element(std::string_view& rest, char separator = ',',
                                        bool escapes = true) noexcept
{
    bool is_quoted = false;
    std::size_t at = 0;
    for (; at != rest.size() && (is_quoted || rest[at] != separator); ++at) {
        if (rest[at] == '"')
            is_quoted = !is_quoted;
        else if (is_quoted && escapes && rest[at] == '\\' && at + 1 != rest.size())
            ++at;
    }
    const std::string_view element = trimmed(rest.substr(0, at));
    rest.remove_prefix(std::min(at + 1, rest.size()));
    return element;
}

// Whether the list has that name, in whatever case, leaving out parameters.
constexpr bool has_element(std::string_view list, std::string_view name) noexcept
{
    while (!list.empty()) {
        std::string_view element = take_element(list);
        if (same_name(take_element(element, ';'), name))
            return true;
    }
    return false;
}

} // namespace heddle::http
