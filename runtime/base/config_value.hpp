// What stands after the '=' of a key: pure functions between text, numbers, durations and sizes.
#pragma once

#include <heddle/base/config.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heddle {

// std::monostate: something that no key takes, such as a date or an array of numbers.
struct configuration::value
{
    std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::string>> is;
};

namespace config_value {

std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<bool> parse_boolean(std::string_view text);                      // true, false
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text); // whole number and unit
std::optional<std::size_t> parse_bytes(std::string_view text); // whole number, with or without unit

std::string show_duration(std::chrono::nanoseconds d); // in the largest unit that leaves a whole number
std::string show_bytes(std::size_t n);
std::string show_list(const std::vector<std::string>& texts); // ["a", "b"]
std::vector<std::string> parse_list(std::string_view text);   // a,b
std::string quote(std::string_view text);                     // a TOML basic string

} // namespace config_value

} // namespace heddle
