// Who really asks, when proxies stand between: taken from their word, and from nobody else's.
#pragma once

#include <heddle/http/networks.hpp>
#include <heddle/http/words.hpp>

namespace heddle::http {

// Which fields the proxies set. The other one is not looked at: it may be the client's own, passed on unseen.
enum class proxy_fields
{
    x_forwarded, // X-Forwarded-For, X-Forwarded-Proto, X-Forwarded-Host
    forwarded    // Forwarded: RFC 7239
};

// Sets request::client(), scheme() and host() from what proxies in `trusted` say. Each proxy adds at the end
// of the list who came to it, so the list is read backwards, as long as who wrote an entry is trusted; the
// first that is not is the client. An entry that cannot be read ends the walk: then the client is who passed
// it on. Scheme and host are what the proxy said that the client came to; those that are malformed are left
// as they are. A peer that is not trusted is the client itself, whatever it sends. A proxy that sets only
// some of these fields must remove the others, or the client's own are taken for its. Source: RFC 7239
// sections 4 to 7.
middleware forwarded(networks trusted, proxy_fields read = proxy_fields::x_forwarded);

} // namespace heddle::http
