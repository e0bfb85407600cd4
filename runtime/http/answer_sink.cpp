#include "http/answer_sink.hpp"

#include <heddle/base/error.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/net/error.hpp>

#include "http/chunked.hpp"

namespace heddle::http {

namespace {

constexpr std::size_t piece_size = 16 * 1024; // bytes copied at a time
constexpr std::size_t flush_size = 16 * 1024; // bytes: from here on a write waits for the client

} // namespace

void answer_sink::write(std::string_view bytes)
{
    begin();
    while (!bytes.empty()) {
        const std::string_view piece = bytes.substr(0, piece_size);
        if (framing_.body == answer_framing::body_kind::chunked)
            append_chunk(out_.bytes(), piece);
        else if (framing_.sends_body)
            out_.bytes() += piece;
        bytes.remove_prefix(piece.size());
        if (out_.bytes().size() >= flush_size)
            flush();
    }
    out_.flush_before_park(); // lines that are written one by one go out together, and not too late
}

void answer_sink::finish()
{
    begin();
    if (framing_.body == answer_framing::body_kind::chunked)
        out_.bytes() += last_chunk;
}

void answer_sink::begin()
{
    if (!has_begun_)
        append_head(out_.bytes(), answer_, client_, framing_);
    has_begun_ = true;
}

// For the producer a client that does not read is the same as one that reset: nobody waits for the rest.
void answer_sink::flush()
{
    bool is_gone = false;
    try {
        out_.flush();
    } catch (const net::broken&) {
        is_gone = true;
    } catch (const deadline_exceeded&) {
        if (fiber::scope::remaining() == fiber::duration::zero())
            throw;
        is_gone = true; // send_budget is over, and not the request's time
    }
    if (is_gone)
        throw cancelled("the client has gone, or has stopped reading");
}

} // namespace heddle::http
