// The Date field's value, made once a second for each thread.
#pragma once

#include <ctime>
#include <string>

namespace heddle::http {

// "Sun, 06 Nov 1994 08:49:37 GMT". Source: RFC 9110 section 5.6.7.
std::string format_date(std::time_t at);

// Adds "Date: ...\r\n" for now. The wall clock's jumps show here, and nowhere else.
void append_date(std::string& out);

} // namespace heddle::http
