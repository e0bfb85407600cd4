// A route's pattern, taken apart: "/orders/{id}/state".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::http {

inline constexpr std::size_t max_segments = 16; // of a pattern; a longer path has no route

struct pattern_segment
{
    std::string text; // the literal, or the parameter's name
    bool is_parameter;
};

struct pattern_parts
{
    std::vector<pattern_segment> segments;

    std::vector<std::string> parameters() const;
};

// Throws: config_error: no leading slash, a brace that is not around a whole segment, a name that is empty,
// no identifier or there twice, too many segments or parameters.
pattern_parts parse_pattern(std::string_view pattern);

} // namespace heddle::http
