// Where a socket listens or connects to, as people write it: an address and a port, or the path of a
// unix-domain socket.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::net {

struct endpoint
{
    std::string host = "127.0.0.1"; // an address without brackets; for connect() also a name
    std::uint16_t port = 0;         // 0 for a listener: any free one
    // Not empty: a unix-domain socket, and no host or port. "@name" is one in the abstract namespace, which
    // has no file (unix(7)).
    std::string path = {};

    bool is_unix() const noexcept { return !path.empty(); }

    bool operator==(const endpoint&) const = default;
};

// Reads "127.0.0.1:8080", "[::1]:8080", "unix:/run/heddle.sock" or "unix:@name". Throws: config_error.
endpoint parse_endpoint(std::string_view text);

// The same the other way.
std::string to_string(const endpoint& e);

} // namespace heddle::net
