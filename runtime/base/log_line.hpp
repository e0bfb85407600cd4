// What a record looks like: pure functions from a message and its fields to one line without its time.
#pragma once

#include <heddle/base/log.hpp>

#include <string>
#include <string_view>

namespace heddle::log {

// Bytes of a message or a value; the rest is cut, and said to be.
inline constexpr std::size_t longest_value = 1024;
inline constexpr std::size_t most_fields = 32;

// `message key=value key="two words"`
std::string text_line(std::string_view message, fields fields);

// `"message":"...","key":"value"`: the members of a JSON object, without its braces.
std::string json_members(std::string_view message, fields fields);

} // namespace heddle::log
