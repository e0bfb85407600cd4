// Endpoints as the kernel wants them, and back.
#pragma once

#include <heddle/net/endpoint.hpp>

#include <optional>

#include <sys/socket.h>

namespace heddle::net {

struct address
{
    sockaddr_storage storage{};
    socklen_t size = sizeof(sockaddr_storage);

    const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
    sockaddr* get() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
    int family() const noexcept { return storage.ss_family; }
};

// Nothing if `e.host` is neither an address nor "localhost": names are not looked up here, that would block.
// Nothing either for a path that is longer than the kernel takes: 107 bytes.
std::optional<address> address_of(const endpoint& e) noexcept;

// Of a unix-domain socket without a name, which a client's is: an empty path.
endpoint endpoint_of(const address& a);

} // namespace heddle::net
