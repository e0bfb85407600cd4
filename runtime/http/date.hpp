// Dates as HTTP writes them, and the Date field, made once a second for each thread.
#pragma once

#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::http {

// "Sun, 06 Nov 1994 08:49:37 GMT". Source: RFC 9110 section 5.6.7.
std::string format_date(std::time_t at);

// Any of the three forms that a recipient must take; nothing if it is none. `now` says which century a year
// of two digits is in: one that seems more than 50 years ahead is past. Source: RFC 9110 section 5.6.7.
std::optional<std::time_t> parse_date(std::string_view text, std::time_t now);

// Adds "Date: ...\r\n" for now. The wall clock's jumps show here, and nowhere else.
void append_date(std::string& out);

} // namespace heddle::http
