// The two parts of JSON's grammar that are more than a character: numbers, and what is escaped inside
// strings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::http {

// How many characters of `text` are a JSON number; 0 if it starts with none. `01`, `+1`, `.5` and `NaN` are
// none.
std::size_t number_length(std::string_view text) noexcept;

// A double from a JSON number. Nothing if it is too large, too small, or an integer that no double is equal
// to.
std::optional<double> to_double(std::string_view number) noexcept;

// Appends the text between a JSON string's quotes, unescaped. Returns what is wrong with it, nullptr if
// nothing is: control characters, unknown escapes, half a surrogate pair, bytes that are no UTF-8.
const char* append_unescaped(std::string& out, std::string_view raw);

} // namespace heddle::http
