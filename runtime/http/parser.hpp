// A complete head, from bytes into a request. Beast's parser reads it; what only Beast
// would let pass is refused here.
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
parsed_head parse_head(std::string_view head, const parse_limits& limits, request& into);

} // namespace heddle::http
