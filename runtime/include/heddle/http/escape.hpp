// Percent-encoding, both ways, and its kin for log lines.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::http {

// `text` as one segment of a path or one value of a query: all but letters, digits and -._~ is
// percent-encoded. Source: RFC 3986 §2.3.
std::string escape(std::string_view text);

enum class plus
{
    is_plus,
    is_space
};

// Undoes it, once. Nothing if an escape is cut off or no hexadecimal, or the result has a NUL or is no UTF-8.
std::optional<std::string> unescape(std::string_view text, plus plus = plus::is_plus);

// `text` on one line: control bytes, quotes, backslashes and bytes above 126 as \xNN, cut after `max_bytes`
// of it.
std::string printable(std::string_view text, std::size_t max_bytes = 256);

} // namespace heddle::http
