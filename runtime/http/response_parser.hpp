// An answer's complete head, from bytes into a response, and where its body ends. As strict as the reading of
// requests: what two readers could understand differently is refused.
#pragma once

#include <heddle/http/response.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle::http {

struct received_head
{
    enum class body_kind
    {
        none,
        sized,
        chunked,
        until_close,
    };

    response answer; // its status and fields, without those that belong to the connection
    body_kind body = body_kind::none;
    std::uint64_t length = 0; // sized: bytes
    bool keep_alive = false;
};

// Reads `head`, which ends with its blank line. `asked_for_head`: the request was HEAD.
// Throws: error (upstream) when it is malformed, or has more than `most_fields`.
// Source: RFC 9112 sections 4 and 6.3.
received_head parse_response_head(std::string_view head, bool asked_for_head, std::size_t most_fields);

} // namespace heddle::http
