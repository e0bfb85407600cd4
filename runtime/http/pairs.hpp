// "a=1&b=2", which is how queries and forms are written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace heddle::http {

// As sent, still encoded.
struct raw_pair
{
    std::string_view name;
    std::string_view value; // empty, too, where there is no '='
};

// Takes the first pair off `text`, which is not empty. Both parts of the pair may be empty.
constexpr raw_pair take_pair(std::string_view& text) noexcept
{
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    return {pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size()))};
}

} // namespace heddle::http
