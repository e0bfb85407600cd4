#include "http/server_options.hpp"

#include <heddle/base/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace heddle::http {

using namespace std::chrono_literals;

server_options checked(server_options o)
{
    std::string wrong;
    const auto require = [&](bool holds, const char* what) {
        if (!holds)
            wrong += (wrong.empty() ? "" : "; ") + std::string(what);
    };
    const auto& doors = o.listen.all;
    require(std::any_of(doors.begin(), doors.end(),
                        [](const auto& d) { return d.kind == listener_kind::clients; }),
            "listen must name a listener for clients");
    require(std::all_of(doors.begin(), doors.end(), [](const auto& d) { return d.backlog >= 1; }),
            "a listener's backlog must be at least 1");
    require(o.max_requests >= 1, "max_requests must be at least 1");
    require(o.max_connections >= 1, "max_connections must be at least 1");
    require(o.request_budget > 0ms, "request_budget must be positive");
    require(o.header_time > 0ms, "header_time must be positive");
    require(o.idle_time > 0ms, "idle_time must be positive");
    require(o.send_budget > 0ms, "send_budget must be positive");
    require(o.write_stall > 0ms, "write_stall must be positive");
    require(o.linger_time >= 0ms, "linger_time must not be negative");
    require(o.notice_time >= 0ms, "notice_time must not be negative");
    require(o.drain_budget >= 0ms, "drain_budget must not be negative");
    require(o.interrupt_budget >= 0ms, "interrupt_budget must not be negative");
    require(o.header_limit >= 256 && o.header_limit <= 1024 * 1024,
            "header_limit must be 256 to 1048576 bytes");
    require(o.field_limit >= 1, "field_limit must be at least 1");
    require(o.target_limit >= 1, "target_limit must be at least 1");
    if (!wrong.empty())
        throw config_error("server: " + wrong);
    return o;
}

} // namespace heddle::http
