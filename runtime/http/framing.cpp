#include "http/framing.hpp"

#include "http/token.hpp"

#include <algorithm>
#include <charconv>

namespace heddle::http {

namespace {

bool is_digits(std::string_view text) noexcept
{
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

framing refuse(http::status why) noexcept
{
    return {.refusal = why};
}

framing decide_chunked(const framing_fields& fields) noexcept
{
    if (fields.codings > 1 || fields.lengths > 0 || fields.version < 11 || fields.coding.empty())
        return refuse(status::bad_request);
    if (!same_name(fields.coding, "chunked"))
        return refuse(status::not_implemented);
    return {.body = framing::body_kind::chunked};
}

framing decide_sized(const framing_fields& fields) noexcept
{
    if (fields.lengths > 1 || !is_digits(fields.length))
        return refuse(status::bad_request);
    std::uint64_t length = 0;
    const char* const end = fields.length.data() + fields.length.size();
    if (std::from_chars(fields.length.data(), end, length).ec != std::errc()) // more than can be counted
        return refuse(status::payload_too_large);
    if (length == 0)
        return {};
    return {.body = framing::body_kind::sized, .length = length};
}

} // namespace

framing decide_framing(const framing_fields& fields) noexcept
{
    if (fields.hosts > 1 || (fields.hosts == 0 && fields.version >= 11))
        return refuse(status::bad_request);
    framing decided;
    if (fields.codings > 0)
        decided = decide_chunked(fields);
    else if (fields.lengths > 0)
        decided = decide_sized(fields);
    if (decided.refusal != status::ok)
        return decided;
    decided.is_encoded = !fields.content_encoding.empty() && !same_name(fields.content_encoding, "identity");
    if (fields.version < 11 || fields.expect.empty())
        return decided; // HTTP/1.0 does not know Expect
    if (!same_name(fields.expect, "100-continue"))
        return refuse(status::expectation_failed);
    decided.expects_continue = decided.body != framing::body_kind::none;
    return decided;
}

} // namespace heddle::http
