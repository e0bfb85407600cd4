// Where requests of our own go: scheme, host and port, as they stand at the beginning of a URL.
#pragma once

#include <heddle/net/endpoint.hpp>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::http {

// Source: RFC 9110 §4.3.1, RFC 6454 §4.
struct origin
{
    bool is_secure = false; // https
    std::string host;       // in lower case; an IPv6 address without brackets
    std::uint16_t port = 80;

    auto operator<=>(const origin&) const = default;

    net::endpoint endpoint() const { return {.host = host, .port = port}; }
};

// A URL, taken apart: `target` is its path and query, at least "/".
struct url
{
    http::origin origin;
    std::string target;
};

// Reads "http://host:9000". Throws: config_error, also for a path, a query or a user's name behind it.
origin parse_origin(std::string_view text);

// Reads an absolute http or https URL without a user's name; a fragment is left out. Nothing if it is none.
std::optional<url> parse_url(std::string_view text);

// What `reference` means in a document at `base`. Nothing if it is none for http or https.
// Source: RFC 3986 §5.2.
std::optional<url> resolve(const url& base, std::string_view reference);

// "http://127.0.0.1:9000"; without a port where it is the scheme's own.
std::string to_string(const origin& o);

// The same without the scheme: what stands in Host.
std::string authority(const origin& o);

} // namespace heddle::http
