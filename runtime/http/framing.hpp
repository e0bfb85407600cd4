// Where a request's body ends, decided from the fields that say so. Stricter than a parser needs to be:
// whatever two readers could understand differently is refused, for the rest of such a body would run as a
// second request.
#pragma once

#include <heddle/http/words.hpp>

#include <cstdint>
#include <string_view>

namespace heddle::http {

// The fields that decide, as they were sent.
struct framing_fields
{
    unsigned version = 11;
    unsigned hosts = 0;           // how many Host fields there are
    unsigned lengths = 0;         // Content-Length fields
    unsigned codings = 0;         // Transfer-Encoding fields
    std::string_view length = {}; // the last one's value
    std::string_view coding = {};
    std::string_view expect = {};           // empty: there is no such field
    std::string_view content_encoding = {}; // the same
};

struct framing
{
    enum class body_kind
    {
        none,
        sized,
        chunked
    };

    http::status refusal = http::status::ok; // anything else: answer that, and close
    body_kind body = body_kind::none;
    std::uint64_t length = 0; // sized: bytes
    bool expects_continue = false;
    bool is_encoded = false; // by a Content-Encoding
};

// Source: RFC 9112 sections 3.2 and 6, RFC 9110 section 10.1.1.
framing decide_framing(const framing_fields& fields) noexcept;

} // namespace heddle::http
