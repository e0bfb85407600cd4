// Fields that belong to one connection, not to the message: whoever passes a message on leaves them out.
#pragma once

#include "http/field_list.hpp"
#include "http/token.hpp"

#include <algorithm>
#include <string_view>

namespace heddle::http {

// Whether the Connection list has that option. Options are tokens, so a quote takes no comma away: nobody
// hides one that way. Source: RFC 9110 §7.6.1.
constexpr bool has_option(std::string_view connection, std::string_view wanted) noexcept
{
    while (!connection.empty()) {
        const std::string_view option = connection.substr(0, connection.find(','));
        connection.remove_prefix(std::min(option.size() + 1, connection.size()));
        if (same_name(trimmed(option), wanted))
            return true;
    }
    return false;
}

// Framing is among them: each hop says its own. Source: RFC 9110 §7.6.1, RFC 9112 §6.
constexpr bool is_hop_by_hop(std::string_view name) noexcept
{
    for (const std::string_view one :
         {"connection", "content-length", "http2-settings", "keep-alive", "proxy-authenticate",
          "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}) {
        if (same_name(name, one))
            return true;
    }
    return false;
}

} // namespace heddle::http
