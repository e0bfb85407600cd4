#include "http/pattern.hpp"

#include <heddle/base/error.hpp>
#include <heddle/http/request.hpp>

#include "http/token.hpp"

#include <algorithm>

namespace heddle::http {
namespace {

[[noreturn]] void refuse(std::string_view pattern, std::string_view why)
{
    throw config_error("route " + std::string(pattern) + ": " + std::string(why));
}

bool is_identifier(std::string_view name) noexcept
{
    return !name.empty() &&
           std::all_of(name.begin(), name.end(), [](char c) { return is_alphanumeric(c) || c == '_'; });
}

pattern_segment parse_segment(std::string_view pattern, std::string_view text)
{
    if (text.find_first_of("{}") == std::string_view::npos)
        return {std::string(text), false};
    if (text.size() < 2 || text.front() != '{' || text.back() != '}')
        refuse(pattern, "a parameter is a whole segment: /{name}/");
    const std::string_view name = text.substr(1, text.size() - 2);
    if (!is_identifier(name))
        refuse(pattern, "a parameter's name has letters, digits and '_' only");
    return {std::string(name), true};
}

} // namespace

std::vector<std::string> pattern_parts::parameters() const
{
    std::vector<std::string> names;
    for (const pattern_segment& segment : segments) {
        if (segment.is_parameter)
            names.push_back(segment.text);
    }
    return names;
}

pattern_parts parse_pattern(std::string_view pattern)
{
    if (pattern.empty() || pattern.front() != '/')
        refuse(pattern, "must start with a slash");
    pattern_parts parts;
    std::string_view rest = pattern.substr(1);
    for (;;) {
        const std::string_view text = rest.substr(0, rest.find('/'));
        parts.segments.push_back(parse_segment(pattern, text));
        if (text.size() == rest.size())
            break;
        rest.remove_prefix(text.size() + 1);
    }

    std::vector<std::string> names = parts.parameters();
    if (parts.segments.size() > max_segments || names.size() > request::max_parameters)
        refuse(pattern, "has too many segments or parameters");
    std::sort(names.begin(), names.end());
    if (std::adjacent_find(names.begin(), names.end()) != names.end())
        refuse(pattern, "has a parameter twice");
    return parts;
}

} // namespace heddle::http
