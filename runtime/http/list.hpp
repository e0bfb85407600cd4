// Fields whose value is a list of words, and the spaces around words.
#pragma once

#include <algorithm>
#include <string_view>

namespace heddle::http {

// Without the spaces and tabs around it. Source: RFC 9110 §5.6.3.
constexpr std::string_view trim(std::string_view text) noexcept
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

// Calls f(element) for each that is not empty, of a list that has no quoted strings.
// Source: RFC 9110 §5.6.1.2.
template <class F>
constexpr void for_each_element(std::string_view list, F&& f)
{
    while (!list.empty()) {
        const std::string_view element = list.substr(0, list.find(','));
        list.remove_prefix(std::min(element.size() + 1, list.size()));
        if (const std::string_view word = trim(element); !word.empty())
            f(word);
    }
}

} // namespace heddle::http
