// An address and a port, as people write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::net {

struct endpoint
{
    std::string host = "127.0.0.1"; // an address without brackets; for connect() also a name
    std::uint16_t port = 0;         // 0 for a listener: any free one

    bool operator==(const endpoint&) const = default;
};

// Reads "127.0.0.1:8080" or "[::1]:8080". Throws: config_error.
endpoint parse_endpoint(std::string_view text);

// The same the other way.
std::string to_string(const endpoint& e);

} // namespace heddle::net
