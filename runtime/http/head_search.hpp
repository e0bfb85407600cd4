// Where a request's head ends. Looked for before anything is parsed, so that half a head costs one
// look at each byte.
#pragma once

#include <cstddef>
#include <string_view>

namespace heddle::http {

struct head_search
{
    enum class state
    {
        incomplete, // `size`: as many bytes need not be looked at again
        complete,   // `size`: of the head, with its blank line
        malformed,  // a line that does not end in CR LF, or is continued on the next one
    };
    state found;
    std::size_t size;
};

// Looks for the blank line. `from` is what an earlier search over the first part of the same bytes gave.
// A line that begins with a space continues the one before. Such lines are refused: not every parser reads
// them alike. Source: RFC 9112 section 5.2.
head_search find_head_end(std::string_view bytes, std::size_t from) noexcept;

} // namespace heddle::http
