// An answer's head, as bytes. How its body is framed is decided here, from the answer and from what the
// client understands.
#pragma once

#include <heddle/http/response.hpp>

#include <cstdint>
#include <string>

namespace heddle::http {

// Who asked, as far as an answer's framing depends on it.
struct asker
{
    unsigned version = 11;
    bool is_head = false;   // wants the head only
    bool keep_alive = true; // wants to go on, and so do we
};

struct answer_framing
{
    enum class body_kind
    {
        none,        // no body, and no word about one
        sized,       // Content-Length
        chunked,     // HTTP/1.1, length not known
        until_close, // HTTP/1.0, length not known
    };
    body_kind body = body_kind::sized;
    std::uint64_t length = 0; // sized: what Content-Length says
    bool sends_body = false;  // false for HEAD, whatever the length
    bool keep_alive = true;
};

// Source: RFC 9112 section 6.3, RFC 9110 sections 9.3.2, 15.3.5, 15.4.5.
answer_framing frame_answer(const response& answer, const asker& client) noexcept;

// Adds the status line, our own fields, the answer's, and the blank line.
void append_head(std::string& out, const response& answer, const asker& client,
                 const answer_framing& framing);

} // namespace heddle::http
