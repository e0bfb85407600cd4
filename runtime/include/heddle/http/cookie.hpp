// Cookies for a browser to keep. What it sends back is read by request::cookie().
#pragma once

#include <heddle/http/response.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace heddle::http {

// By default it comes back to this host only, no script sees it, and other sites' forms do not send it along.
struct cookie
{
    enum class same_site
    {
        strict, // sent from pages of this site only
        lax,    // and when somebody follows a link to it
        none    // always; needs `secure`
    };

    std::string name;       // a token; "__Host-..." and "__Secure-..." are held to what these promise
    std::string value = {}; // visible ASCII without '"', ',', ';' and '\': escape() others
    std::string path = "/";
    std::string domain = {};                          // empty: this host, and none below it
    std::optional<std::chrono::seconds> max_age = {}; // none: until the browser ends; 0: forget it now
    bool secure = false;                              // over TLS only
    bool http_only = true;                            // not for scripts
    same_site from = same_site::lax;
};

// Adds a Set-Cookie of its own, beside those that are there.
// Throws: error, when a part would be read as more than one, or breaks what the name's prefix or
// SameSite=None promises, or the age is negative, or name and value together have more than 4096 bytes.
// Source: RFC 6265 §4.1, draft-ietf-httpbis-rfc6265bis §4.1.3 and §5.
void set_cookie(response& answer, const cookie& wanted);

} // namespace heddle::http
