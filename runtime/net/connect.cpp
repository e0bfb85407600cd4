// Connecting: finding out where a name leads, and waiting for the answer from there.
#include <heddle/net/socket.hpp>

#include <heddle/fiber/offload.hpp>
#include <heddle/net/error.hpp>

#include "fiber/park.hpp"
#include "fiber/reactor.hpp"
#include "net/address.hpp"

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

namespace heddle::net {

namespace {

// Read errno where it was set: its address must not be remembered across a switch to another worker.
// Returns a socket that connects or has connected, or -errno. It is connecting before anybody watches it: one
// that is not yet reports a hang-up.
[[gnu::noinline]] int start_connect(const address& to) noexcept
{
    const int fd = ::socket(to.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (::connect(fd, to.get(), to.size) == 0 || errno == EINPROGRESS)
        return fd;
    const int error = errno;
    ::close(fd);
    return -error;
}

[[gnu::noinline]] int outcome_of_connect(int fd) noexcept
{
    int error = 0;
    socklen_t size = sizeof error;
    return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

// Blocks: for a helper thread.
std::optional<address> look_up(const std::string& host, const std::string& port)
{
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), port.c_str(), &wanted, &found) != 0)
        return std::nullopt;
    address first;
    std::memcpy(&first.storage, found->ai_addr, found->ai_addrlen);
    first.size = found->ai_addrlen;
    ::freeaddrinfo(found);
    return first;
}

address find(const endpoint& to)
{
    std::optional<address> a = address_of(to);
    if (!a && to.is_unix())
        throw broken("connect to " + to_string(to) + ": the path is too long");
    if (!a)
        a = fiber::offload([&] { return look_up(to.host, std::to_string(to.port)); });
    if (!a)
        throw broken("connect to " + to_string(to) + ": no such host");
    return *a;
}

[[noreturn]] void throw_broken(const endpoint& to, int error)
{
    throw broken("connect to " + to_string(to) + ": " + std::strerror(error));
}

} // namespace

socket connect(const endpoint& to)
{
    const int fd = start_connect(find(to));
    if (fd < 0)
        throw_broken(to, -fd);
    socket s(fd);
    fiber::check(fiber::wait_ready(s.descriptor(), fiber::direction::write));
    if (const int error = outcome_of_connect(fd))
        throw_broken(to, error);
    return s;
}

} // namespace heddle::net
