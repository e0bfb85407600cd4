#include <heddle/http/redirects.hpp>

#include <heddle/base/error.hpp>
#include <heddle/http/problem.hpp>

#include "http/token.hpp"

#include <algorithm>
#include <string>

namespace heddle::http {

namespace {

bool has_control(std::string_view text) noexcept
{
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// Source: RFC 3986, appendix A.
std::string encoded(std::string_view url)
{
    constexpr std::string_view allowed = "-._~:/?#[]@!$&'()*+,;=";
    std::string out;
    for (std::size_t i = 0; i != url.size(); ++i) {
        const char c = url[i];
        const bool is_escape =
            c == '%' && url.size() - i > 2 && hex_value(url[i + 1]) >= 0 && hex_value(url[i + 2]) >= 0;
        if (is_escape || is_alphanumeric(c) || allowed.find(c) != std::string_view::npos) {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += "0123456789ABCDEF"[byte >> 4];
        out += "0123456789ABCDEF"[byte & 15];
    }
    return out;
}

response go_to(std::string_view url, http::status status)
{
    switch (status) {
    case http::status::moved_permanently:
    case http::status::found:
    case http::status::see_other:
    case http::status::temporary_redirect:
    case http::status::permanent_redirect:
        break;
    default:
        throw error(kind::internal, "a redirect's status must be 301, 302, 303, 307 or 308");
    }
    response answer(status);
    answer.set_header(field::location, encoded(url));
    return answer;
}

bool is_site(std::string_view url) noexcept
{
    for (const std::string_view scheme : {"https://", "http://"}) {
        if (!same_name(url.substr(0, scheme.size()), scheme))
            continue;
        const std::string_view rest = url.substr(scheme.size());
        const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
        return !authority.empty() && authority.front() != ':' &&
               authority.find_first_of("@ \\") == std::string_view::npos && !has_control(url);
    }
    return false;
}

} // namespace

// Browsers take a backslash for a slash, and leave out tabs and line breaks before they look at the rest.
bool is_on_this_site(std::string_view path) noexcept
{
    return path.starts_with('/') && !path.starts_with("//") && !path.starts_with("/\\") && !has_control(path);
}

response redirect(std::string_view path, http::status status)
{
    if (!is_on_this_site(path))
        throw bad_request("", "a redirect must stay on this site");
    return go_to(path, status);
}

response redirect_to_site(std::string_view url, http::status status)
{
    if (!is_site(url))
        throw error(kind::internal, "a redirect to another site needs a URL with http or https and a host");
    return go_to(url, status);
}

} // namespace heddle::http
