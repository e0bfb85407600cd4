#include <heddle/http/reply.hpp>

#include <heddle/base/error.hpp>

namespace heddle::http {

response reply(const problem& p)
{
    return response(p.code(), "application/problem+json", to_json(p));
}

response reply(std::string text)
{
    return response(status::ok, "text/plain; charset=utf-8", std::move(text));
}

response reply(std::string_view text)
{
    return reply(std::string(text));
}

response reply(const char* text)
{
    return reply(std::string(text));
}

void expect_success(const response& answer)
{
    const auto code = static_cast<unsigned>(answer.status());
    if (code >= 200 && code <= 299)
        return;
    const bool late = answer.status() == status::gateway_timeout;
    throw error(late ? kind::upstream_timeout : kind::upstream,
                "the upstream answered " + std::to_string(code));
}

} // namespace heddle::http
