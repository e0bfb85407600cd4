#include <heddle/net/endpoint.hpp>

#include <heddle/base/error.hpp>

#include <charconv>

namespace heddle::net {

namespace {

constexpr std::string_view unix_prefix = "unix:";

[[noreturn]] void refuse(std::string_view text)
{
    throw config_error(
        "\"" + std::string(text) +
        "\" is no address with a port, such as 127.0.0.1:8080 or [::1]:8080, and no unix:/path");
}

} // namespace

endpoint parse_endpoint(std::string_view text)
{
    if (text.starts_with(unix_prefix)) {
        const std::string_view path = text.substr(unix_prefix.size());
        if (path.empty() || path == "@" || path.find('\0') != std::string_view::npos)
            refuse(text);
        return {.path = std::string(path)};
    }
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos)
        refuse(text);
    std::string_view host = text.substr(0, colon);
    const std::string_view digits = text.substr(colon + 1);
    if (host.starts_with('[') && host.ends_with(']'))
        host = host.substr(1, host.size() - 2);
    else if (host.find(':') != std::string_view::npos)
        refuse(text);

    endpoint e{.host = std::string(host), .port = 0};
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), e.port);
    if (host.empty() || digits.empty() || failure != std::errc() || end != digits.data() + digits.size())
        refuse(text);
    return e;
}

std::string to_string(const endpoint& e)
{
    if (e.is_unix())
        return std::string(unix_prefix) + e.path;
    const bool is_v6 = e.host.find(':') != std::string::npos;
    std::string text = is_v6 ? "[" : "";
    text += e.host;
    text += is_v6 ? "]:" : ":";
    return text += std::to_string(e.port);
}

} // namespace heddle::net
