// The middleware that unpacks what clients send.
#include <heddle/http/middleware.hpp>

#include "http/inflated_body.hpp"
#include "http/token.hpp"

#include <memory>
#include <string>

namespace heddle::http {

namespace {

// A body that is here already, as in a test.
class text_source final : public body_source
{
public:
    explicit text_source(std::string_view text) : text_(text) {}

    std::size_t read_some(std::span<char> into) override
    {
        const std::size_t count = text_.copy(into.data(), into.size(), given_);
        given_ += count;
        return count;
    }

private:
    std::string text_;
    std::size_t given_ = 0;
};

// Lives as long as the body may be read.
struct unpacking
{
    explicit unpacking(const request& req)
        : text(req.body_origin().source ? std::string_view() : req.body()),
          plain(req.body_origin().source ? *req.body_origin().source : text)
    {
    }

    text_source text;
    inflated_body plain;
};

int codings_of(const request& req)
{
    int lines = 0;
    req.for_each_header([&](field name, std::string_view, std::string_view) {
        lines += name == field::content_encoding ? 1 : 0;
    });
    return lines;
}

response refuse()
{
    response answer = reply(problem(status::unsupported_media_type, "the body may be packed with gzip only"));
    answer.set_header(field::accept_encoding, "gzip"); // Source: RFC 9110 section 12.5.3
    return answer;
}

} // namespace

middleware decompression()
{
    return [](const request& req, const handler& next) {
        const std::string_view coding = req.header(field::content_encoding);
        if (codings_of(req) == 0 || req.body_length() == 0 ||
            (codings_of(req) == 1 && same_name(coding, "identity")))
            return next(req);
        if (codings_of(req) > 1 || (!same_name(coding, "gzip") && !same_name(coding, "x-gzip")))
            return refuse();
        const auto body = std::make_shared<unpacking>(req);
        const auto packed = req.body_origin();
        req.set_body_origin({.source = &body->plain});
        response answer = next(req);
        if (answer.is_streaming())
            answer.set_producer([body, inner = answer.body_producer()](sink& out) { inner(out); });
        else
            req.set_body_origin(packed);
        return answer;
    };
}

} // namespace heddle::http
