#include "http/body_reader.hpp"

#include <heddle/base/error.hpp>
#include <heddle/net/error.hpp>

#include "http/chunked.hpp"

#include <algorithm>

namespace heddle::http {

namespace {

// False: the client has sent all that it will.
bool read_more(const body_source& source)
{
    source.out.flush(); // the client may be waiting for an answer before it sends on
    const std::size_t count = source.stream.read_some(source.input.room());
    source.input.added(count);
    return count > 0;
}

body_outcome read_sized(const body_source& source, std::uint64_t length, request& into)
{
    for (std::uint64_t left = length;;) {
        const auto bytes = source.input.unread();
        const auto piece =
            bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left, bytes.size())));
        into.append_body(piece);
        left -= piece.size();
        source.input.consume(piece.size());
        if (left == 0)
            return body_outcome::complete;
        if (!read_more(source))
            return body_outcome::gone;
    }
}

body_outcome read_chunked(const body_source& source, std::uint64_t limit, request& into)
{
    chunk_decoder decoder;
    for (;;) {
        while (!source.input.is_empty() && !decoder.is_done()) {
            const chunk_decoder::step step = decoder.next(source.input.unread());
            if (decoder.is_malformed())
                return body_outcome::malformed;
            if (into.body().size() + step.data.size() > limit)
                return body_outcome::too_large;
            into.append_body(step.data);
            source.input.consume(step.used);
        }
        if (decoder.is_done())
            return body_outcome::complete;
        if (!read_more(source))
            return body_outcome::gone;
    }
}

body_outcome read_any(const body_source& source, const framing& framing, std::uint64_t limit, request& into)
{
    if (framing.expects_continue && source.input.is_empty())
        source.out.bytes() += "HTTP/1.1 100 Continue\r\n\r\n";
    if (framing.body == framing::body_kind::sized)
        return read_sized(source, framing.length, into);
    return read_chunked(source, limit, into);
}

} // namespace

body_outcome read_body(const body_source& source, const framing& framing, std::uint64_t limit, request& into)
{
    if (framing.body == framing::body_kind::none)
        return body_outcome::complete;
    try {
        return read_any(source, framing, limit, into);
    } catch (const deadline_exceeded&) {
        // While the client did not take earlier answers: the next one must not be sent behind half of them.
        return source.out.is_empty() ? body_outcome::late : body_outcome::gone;
    } catch (const cancelled&) {
        return body_outcome::gone;
    } catch (const net::broken&) {
        return body_outcome::gone;
    }
}

} // namespace heddle::http
