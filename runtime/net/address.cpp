#include "net/address.hpp"

#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace heddle::net {

std::optional<address> address_of(const endpoint& e) noexcept
{
    const char* const host = e.host == "localhost" ? "127.0.0.1" : e.host.c_str();
    address a;
    sockaddr_in v4{};
    if (::inet_pton(AF_INET, host, &v4.sin_addr) == 1) {
        v4.sin_family = AF_INET;
        v4.sin_port = htons(e.port);
        std::memcpy(&a.storage, &v4, sizeof v4);
        a.size = sizeof v4;
        return a;
    }
    sockaddr_in6 v6{};
    if (::inet_pton(AF_INET6, host, &v6.sin6_addr) == 1) {
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(e.port);
        std::memcpy(&a.storage, &v6, sizeof v6);
        a.size = sizeof v6;
        return a;
    }
    return std::nullopt;
}

endpoint endpoint_of(const address& a)
{
    char text[INET6_ADDRSTRLEN] = "";
    if (a.family() == AF_INET) {
        sockaddr_in v4;
        std::memcpy(&v4, &a.storage, sizeof v4);
        ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
        return {.host = text, .port = ntohs(v4.sin_port)};
    }
    sockaddr_in6 v6;
    std::memcpy(&v6, &a.storage, sizeof v6);
    ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    return {.host = text, .port = ntohs(v6.sin6_port)};
}

} // namespace heddle::net
