// Variables that are meant for this process only, and must not reach its children.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::net {

// The variable's value; it is unset.
std::optional<std::string> taken_from_environment(const char* name);

// Throws: config_error, naming the variable: it is no whole number, or less than 0.
std::int64_t number_of(const char* name, const std::string& text);

} // namespace heddle::net
