#include <heddle/http/bearer_token.hpp>

#include <heddle/base/error.hpp>
#include <heddle/http/escape.hpp>
#include <heddle/http/reply.hpp>

#include "http/token.hpp"

#include <algorithm>
#include <utility>

namespace heddle::http {

namespace {

constexpr std::string_view scheme = "Bearer ";

// Source: RFC 6750 section 2.1, b64token.
bool is_bearer_token(std::string_view token) noexcept
{
    while (token.ends_with('='))
        token.remove_suffix(1);
    for (const char c : token) {
        if (!is_alphanumeric(c) && std::string_view("-._~+/").find(c) == std::string_view::npos)
            return false;
    }
    return !token.empty();
}

response refuse(const std::string& challenge, http::status status, const char* code, const char* why)
{
    response answer = reply(problem(status, why));
    answer.set_header(field::www_authenticate,
                      *code ? challenge + ", error=\"" + code + "\""
                            : challenge); // nothing to someone who sent none
    return answer;
}

} // namespace

middleware bearer_token(std::function<bool(std::string_view)> accepts, std::string realm)
{
    if (printable(realm, realm.size()) != realm)
        throw config_error("bearer_token: the realm must be plain text without quotes");
    return [accepts = std::move(accepts), challenge = "Bearer realm=\"" + realm + "\""](const request& req,
                                                                                        const handler& next) {
        int fields = 0;
        req.for_each_header(
            [&](field id, std::string_view, std::string_view) { fields += id == field::authorization; });
        if (fields > 1)
            return refuse(challenge, status::bad_request, "invalid_request",
                          "one Authorization field, please");
        std::string_view credentials = req.header(field::authorization);
        if (!same_name(credentials.substr(0, scheme.size()), scheme))
            return refuse(challenge, status::unauthorized, "", "a bearer token is needed");
        credentials.remove_prefix(scheme.size());
        credentials.remove_prefix(std::min(credentials.find_first_not_of(' '), credentials.size()));
        if (!is_bearer_token(credentials) || !accepts(credentials))
            return refuse(challenge, status::unauthorized, "invalid_token",
                          "the bearer token is not accepted");
        return next(req);
    };
}

} // namespace heddle::http
