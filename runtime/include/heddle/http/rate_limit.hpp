// So many requests a second from each client, and no more.
#pragma once

#include <heddle/http/words.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace heddle::http {

struct rate_limit_options
{
    double per_second = 10;      // in the long run
    std::size_t burst = 20;      // at once, after a rest
    std::size_t clients = 65536; // remembered; 16 bytes each, taken at once
    // Whose share the request is from. Empty: the client's address (request::client()), an IPv6 one's first
    // 64 bits, as its owner has all of them.
    std::function<std::string(const request&)> key = {};
};

// Answers 429 with Retry-After to who has asked too often. A refused request takes nothing from the share.
// When more clients come than are remembered those are forgotten who have used least, and may start anew.
// Goes inside of forwarded(). Never parks.
// Throws: config_error. Source: RFC 6585 section 4.
middleware rate_limit(rate_limit_options options);

} // namespace heddle::http
