#include <heddle/http/origin.hpp>

#include <heddle/base/error.hpp>

#include "http/token.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace heddle::http {

namespace {

constexpr std::uint16_t port_of(bool is_secure) noexcept
{
    return is_secure ? 443 : 80;
}

std::string in_lower_case(std::string_view text)
{
    std::string made(text);
    std::transform(made.begin(), made.end(), made.begin(), lower);
    return made;
}

bool may_be_in_host(char c) noexcept
{
    return is_alphanumeric(c) || c == '-' || c == '.' || c == '_';
}

bool may_be_in_address(char c) noexcept
{
    return is_alphanumeric(c) || c == ':' || c == '.';
}

// "host", "host:port", "[address]:port". An '@' is no byte of a host, so no user's name gets through.
std::optional<origin> parse_authority(std::string_view text, bool is_secure)
{
    origin made{.is_secure = is_secure, .host = {}, .port = port_of(is_secure)};
    const bool is_address = text.starts_with('[');
    const std::size_t end = is_address ? text.find(']') : std::min(text.find(':'), text.size());
    if (end == std::string_view::npos)
        return std::nullopt;
    const std::string_view host = text.substr(is_address, end - is_address);
    if (host.empty() ||
        !std::all_of(host.begin(), host.end(), is_address ? may_be_in_address : may_be_in_host))
        return std::nullopt;
    made.host = in_lower_case(host);

    const std::string_view rest = text.substr(end + is_address);
    if (rest.empty())
        return made;
    const std::string_view digits = rest.substr(1);
    const auto [last, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), made.port);
    if (rest[0] != ':' || digits.empty() || failure != std::errc() || last != digits.data() + digits.size() ||
        made.port == 0)
        return std::nullopt;
    return made;
}

std::optional<bool> is_secure_scheme(std::string_view& text)
{
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!same_name(text.substr(0, scheme.size()), scheme))
            continue;
        text.remove_prefix(scheme.size());
        return scheme.size() == 8;
    }
    return std::nullopt;
}

// Source: RFC 3986 §5.2.4.
std::string without_dots(std::string_view path)
{
    std::string made;
    while (!path.empty()) {
        const std::string_view segment = path.substr(0, path.find('/', 1)); // "/name"
        path.remove_prefix(segment.size());
        if (segment == "/." || segment == "/..") {
            if (segment == "/..")
                made.erase(std::min(made.rfind('/'), made.size()));
            if (path.empty())
                made += '/';
        } else {
            made += segment;
        }
    }
    return made;
}

bool has_scheme(std::string_view reference) noexcept
{
    const std::size_t colon = reference.find_first_of(":/?");
    return colon != std::string_view::npos && colon > 0 && reference[colon] == ':';
}

} // namespace

origin parse_origin(std::string_view text)
{
    const auto found = parse_url(text);
    if (text.find('@') != std::string_view::npos) // not quoted: there may be a password in it
        throw config_error("an origin has no user and no password");
    if (!found || found->target != "/" || text.find_first_of("?#") != std::string_view::npos)
        throw config_error("\"" + std::string(text) + "\" is no origin, such as http://127.0.0.1:9000");
    return found->origin;
}

std::optional<url> parse_url(std::string_view text)
{
    const auto is_secure = is_secure_scheme(text);
    if (!is_secure)
        return std::nullopt;
    text = text.substr(0, text.find('#'));
    const std::size_t end = std::min(text.find_first_of("/?"), text.size());
    auto where = parse_authority(text.substr(0, end), *is_secure);
    if (!where)
        return std::nullopt;
    std::string target(text.substr(end));
    if (!target.starts_with('/'))
        target.insert(0, 1, '/');
    return url{*std::move(where), std::move(target)};
}

std::optional<url> resolve(const url& base, std::string_view reference)
{
    reference = reference.substr(0, reference.find('#'));
    if (has_scheme(reference))
        return parse_url(reference);
    if (reference.starts_with("//"))
        return parse_url((base.origin.is_secure ? "https:" : "http:") + std::string(reference));

    const std::string_view here = std::string_view(base.target).substr(0, base.target.find('?'));
    if (reference.empty())
        return base;
    if (reference.starts_with('?'))
        return url{base.origin, std::string(here) += reference};
    const std::size_t mark = std::min(reference.find('?'), reference.size());
    std::string path(reference.substr(0, mark));
    if (!path.starts_with('/'))
        path.insert(0, here.substr(0, here.rfind('/') + 1));
    return url{base.origin, without_dots(path) += reference.substr(mark)};
}

std::string to_string(const origin& o)
{
    return (o.is_secure ? "https://" : "http://") + authority(o);
}

std::string authority(const origin& o)
{
    const bool is_v6 = o.host.find(':') != std::string::npos;
    std::string text = is_v6 ? "[" + o.host + "]" : o.host;
    if (o.port != port_of(o.is_secure))
        text += ":" + std::to_string(o.port);
    return text;
}

} // namespace heddle::http
