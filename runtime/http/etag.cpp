// The middleware that tags answers by what is in them.
#include <heddle/http/etag.hpp>

#include "http/siphash.hpp"

#include <utility>

namespace heddle::http {

namespace {

// Known, so that a tag is the same after a restart, and on each of several servers.
constexpr hash_key tag_key = {0x686564646c652d65, 0x7461672d6b65792d};

// What a 304 may not say, as it is about the body that is not sent. Source: RFC 9110 section 15.4.5.
void drop_body(response& answer)
{
    answer.set_status(status::not_modified);
    answer.set_body({});
    for (const std::string_view name :
         {"Content-Type", "Content-Encoding", "Content-Language", "Content-Range"})
        answer.remove_header(name);
}

} // namespace

std::string etag_of(std::string_view bytes)
{
    std::string tag(34, '"');
    std::size_t at = 1;
    for (const std::uint64_t half : siphash(tag_key, bytes)) {
        for (int shift = 60; shift >= 0; shift -= 4)
            tag[at++] = "0123456789abcdef"[half >> shift & 15];
    }
    return tag;
}

middleware etag(etag_strength strength)
{
    return [strength](const request& req, const handler& next) {
        response answer = next(req);
        const bool reads = req.method() == verb::get || req.method() == verb::head;
        if (!reads || answer.status() != status::ok || answer.is_streaming())
            return answer;
        if (answer.header(field::etag).empty()) {
            if (answer.body().empty() && req.method() == verb::head)
                return answer; // from a handler that knows that a body would be for nothing
            const std::string tag = etag_of(answer.body());
            answer.set_header(field::etag, strength == etag_strength::weak ? "W/" + tag : tag);
        }
        const std::string tag(answer.header(field::etag));
        if (const auto instead = unmet_condition(req, {.etag = tag})) {
            if (instead->status() != status::not_modified)
                return *instead;
            drop_body(answer);
        }
        return answer;
    };
}

} // namespace heddle::http
