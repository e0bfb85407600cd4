#include <heddle/http/cookie.hpp>

#include <heddle/base/error.hpp>
#include <heddle/http/request.hpp>

#include "http/field_list.hpp"
#include "http/token.hpp"

#include <algorithm>

namespace heddle::http {
namespace {

constexpr std::size_t most_bytes = 4096; // of name and value: browsers drop a cookie that has more

bool is_cookie_octet(char c) noexcept
{
    return c > 0x20 && c < 0x7f && c != '"' && c != ',' && c != ';' && c != '\\';
}

bool is_path_octet(char c) noexcept
{
    return c >= 0x20 && c < 0x7f && c != ';';
}

bool is_domain_octet(char c) noexcept
{
    return is_alphanumeric(c) || c == '-' || c == '.';
}

bool has_prefix(std::string_view name, std::string_view prefix) noexcept
{
    return same_name(name.substr(0, prefix.size()), prefix);
}

void require(bool holds, const char* rule)
{
    if (!holds)
        throw error(kind::internal, rule);
}

void check(const cookie& c)
{
    require(is_token(c.name), "a cookie's name is no token");
    require(std::all_of(c.value.begin(), c.value.end(), is_cookie_octet),
            "a cookie's value has a byte that it may not have");
    require(c.name.size() + c.value.size() <= most_bytes, "a cookie is too large");
    require(c.path.starts_with('/') && std::all_of(c.path.begin(), c.path.end(), is_path_octet),
            "a cookie's path is none");
    require(std::all_of(c.domain.begin(), c.domain.end(), is_domain_octet), "a cookie's domain is no name");
    require(!c.max_age || c.max_age->count() >= 0, "a cookie's age is negative");
    require(c.secure || c.from != cookie::same_site::none, "a cookie with SameSite=None must be secure");
    const bool is_for_host = has_prefix(c.name, "__Host-");
    require(c.secure || !(is_for_host || has_prefix(c.name, "__Secure-")),
            "a cookie with such a name must be secure");
    require(!is_for_host || (c.path == "/" && c.domain.empty()),
            "a cookie __Host-... is of one host and all of its paths");
}

std::string_view text_of(cookie::same_site from) noexcept
{
    if (from == cookie::same_site::strict)
        return "Strict";
    return from == cookie::same_site::lax ? "Lax" : "None";
}

} // namespace

std::optional<std::string_view> request::cookie(std::string_view name) const noexcept
{
    for (const entry& e : fields_) {
        if (e.id != field::cookie)
            continue;
        for (std::string_view rest = at(e.value); !rest.empty();) {
            const std::string_view pair = rest.substr(0, rest.find(';'));
            rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
            const std::size_t equals = pair.find('=');
            if (equals != std::string_view::npos && trimmed(pair.substr(0, equals)) == name)
                return trimmed(pair.substr(equals + 1));
        }
    }
    return std::nullopt;
}

void set_cookie(response& answer, const cookie& wanted)
{
    check(wanted);
    std::string line = wanted.name + '=' + wanted.value + "; Path=" + wanted.path;
    if (!wanted.domain.empty())
        line += "; Domain=" + wanted.domain;
    if (wanted.max_age)
        line += "; Max-Age=" + std::to_string(wanted.max_age->count());
    if (wanted.secure)
        line += "; Secure";
    if (wanted.http_only)
        line += "; HttpOnly";
    line.append("; SameSite=").append(text_of(wanted.from));
    answer.add_header("Set-Cookie", line);
}

} // namespace heddle::http
