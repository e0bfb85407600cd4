// Reads a request's body into the request.
#pragma once

#include "http/framing.hpp"
#include "http/input_buffer.hpp"
#include "http/outbox.hpp"

#include <heddle/http/request.hpp>
#include <heddle/net/stream.hpp>

#include <cstdint>

namespace heddle::http {

enum class body_outcome
{
    complete,
    too_large, // 413
    malformed, // 400
    late,      // 408: the request's time was over first
    gone,      // the client: nobody to answer
};

struct body_source
{
    net::stream& stream;
    input_buffer& input; // what was read along with the head; afterwards: along with the body
    outbox& out;         // for 100 Continue
};

// Parks until the body is there, for as long as the scope lasts.
body_outcome read_body(const body_source& source, const framing& framing, std::uint64_t limit, request& into);

} // namespace heddle::http
