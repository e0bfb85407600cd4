#include "net/address.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

namespace heddle::net {

namespace {

constexpr std::size_t path_at = offsetof(sockaddr_un, sun_path);

std::optional<address> address_of_path(const std::string& path) noexcept
{
    sockaddr_un to{};
    if (path.size() >= sizeof to.sun_path)
        return std::nullopt;
    to.sun_family = AF_UNIX;
    std::copy(path.begin(), path.end(), to.sun_path);
    const bool is_abstract = path.front() == '@';
    if (is_abstract)
        to.sun_path[0] = '\0';
    address a;
    std::memcpy(&a.storage, &to, sizeof to);
    // An abstract name ends where the size says, a path with a zero.
    a.size = static_cast<socklen_t>(path_at + path.size() + (is_abstract ? 0 : 1));
    return a;
}

endpoint endpoint_of_path(const address& a)
{
    sockaddr_un from{};
    std::memcpy(&from, &a.storage, std::min<std::size_t>(a.size, sizeof from));
    if (a.size <= path_at)
        return {};
    const std::size_t size = a.size - path_at;
    if (from.sun_path[0] == '\0' && size > 1)
        return {.path = '@' + std::string(from.sun_path + 1, size - 1)};
    return {.path = std::string(from.sun_path, ::strnlen(from.sun_path, size))};
}

} // namespace

std::optional<address> address_of(const endpoint& e) noexcept
{
    if (e.is_unix())
        return address_of_path(e.path);
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
    if (a.family() == AF_UNIX)
        return endpoint_of_path(a);
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
