// Fields that belong to one connection, not to the message: whoever passes a message on leaves them out.
#pragma once

#include "http/token.hpp"

#include <algorithm>
#include <string_view>

namespace heddle::http {

// Calls f(word) for each element of a comma-separated list. Source: RFC 9110 §5.6.1.
template <class F>
void for_each_word(std::string_view list, F&& f)
{
    while (!list.empty()) {
        std::string_view word = list.substr(0, list.find(','));
        list.remove_prefix(std::min(word.size() + 1, list.size()));
        while (!word.empty() && (word.front() == ' ' || word.front() == '\t'))
            word.remove_prefix(1);
        while (!word.empty() && (word.back() == ' ' || word.back() == '\t'))
            word.remove_suffix(1);
        if (!word.empty())
            f(word);
    }
}

inline bool has_word(std::string_view list, std::string_view wanted)
{
    bool found = false;
    for_each_word(list, [&](std::string_view word) { found = found || same_name(word, wanted); });
    return found;
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
