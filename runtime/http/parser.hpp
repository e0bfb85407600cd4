// A complete head, from bytes into a request, in one pass. What two readers could take for different things
// is refused.
#pragma once

#include "http/framing.hpp"

#include <heddle/http/request.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle::http {

struct parse_limits
{
    std::size_t fields = 100;      // field lines
    std::size_t target = 8 * 1024; // bytes
};

struct parsed_head
{
    http::framing framing;
    bool keep_alive = false;
};

// Reads `head`, which ends with its blank line, into `into`, which is clear.
// Source: RFC 9112 sections 2 to 7 and 9.3, RFC 9110 sections 5 and 7.
parsed_head parse_head(std::string_view head, const parse_limits& limits, request& into);

} // namespace heddle::http
