#include "http/redirect.hpp"

#include "http/target.hpp"

namespace heddle::http {

namespace {

bool leads_on(http::status code) noexcept
{
    switch (code) {
    case status::moved_permanently:
    case status::found:
    case status::see_other:
    case status::temporary_redirect:
    case status::permanent_redirect:
        return true;
    default:
        return false;
    }
}

// 303 says GET; browsers made POST a GET after 301 and 302 for so long that it became the rule.
bool becomes_get(const std::string& method, http::status code) noexcept
{
    if (code == status::see_other)
        return method != "GET" && method != "HEAD";
    return (code == status::moved_permanently || code == status::found) && method == "POST";
}

} // namespace

std::optional<outgoing> follow(const outgoing& asked, const response& answer, const redirect_rules& rules)
{
    const std::string_view location = answer.header(field::location);
    if (!leads_on(answer.status()) || location.empty())
        return std::nullopt;
    auto to = resolve(asked.to, location);
    if (!to || !to->target.starts_with('/') || !is_target_text(to->target)) // nowhere that could be asked
        return std::nullopt;
    const bool leaves = to->origin != asked.to.origin;
    if (leaves && (!rules.to_other_origins || (asked.to.origin.is_secure && !to->origin.is_secure)))
        return std::nullopt;

    outgoing next = asked;
    next.to = *std::move(to);
    if (becomes_get(asked.method, answer.status())) {
        next.method = "GET";
        next.sends_body = false;
    } else if (next.sends_body && !rules.body_can_be_repeated) {
        return std::nullopt;
    }
    next.sends_credentials = asked.sends_credentials && !leaves;
    return next;
}

} // namespace heddle::http
