// Redirects. One to another site has a name of its own, so that none leaves this site by accident.
#pragma once

#include <heddle/http/message.hpp>

#include <string_view>

namespace heddle::http {

// Whether `path` ("/orders/7?page=2#top") leads to this site whatever a browser makes of it: not "//other",
// nor what browsers take for that, nor with a scheme, nor with a control character.
bool is_on_this_site(std::string_view path) noexcept;

// What may not stand in a URL (spaces, quotes, bytes above 126, a lone '%') is percent-encoded, what is so
// already is left. `status`: 301, 302, 303 (look there with GET), 307 or 308 (do the same there). Throws:
// bad_request when it is not on this site, as such a path is mostly the client's; error for another status.
// Source: RFC 9110 sections 10.2.2 and 15.4; WHATWG URL, section 4.4, for what browsers do.
response redirect(std::string_view path, http::status status = http::status::see_other);

// To wherever it says: "https://...", or "http://...". Never give it what a client has sent.
// Throws: error, when it is no such URL with a host, or has a name or password in it.
response redirect_to_site(std::string_view url, http::status status = http::status::see_other);

} // namespace heddle::http
