// Connecting: finding out where a name leads, and waiting for the answer from there.
#include <heddle/net/socket.hpp>

#include <heddle/fiber/offload.hpp>
#include <heddle/net/error.hpp>

#include "fiber/park.hpp"
#include "fiber/reactor.hpp"
#include "net/address.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

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

// All that the name leads to, in the order in which they are to be tried; or none, and `failure` says why.
// Blocks: for a helper thread.
std::vector<address> look_up(const std::string& host, const std::string& port, int& failure)
{
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    failure = ::getaddrinfo(host.c_str(), port.c_str(), &wanted, &list);
    if (failure != 0)
        return {};
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found(list, &::freeaddrinfo);
    std::vector<address> all;
    for (const addrinfo* one = list; one; one = one->ai_next) {
        address& next = all.emplace_back();
        std::memcpy(&next.storage, one->ai_addr, one->ai_addrlen);
        next.size = one->ai_addrlen;
    }
    return all;
}

std::vector<address> find(const endpoint& to)
{
    if (const auto a = address_of(to))
        return {*a};
    if (to.is_unix())
        throw broken("connect to " + to_string(to) + ": the path is too long");
    int failure = 0;
    auto all = fiber::offload([&] { return look_up(to.host, std::to_string(to.port), failure); });
    if (all.empty())
        throw broken("connect to " + to_string(to) + ": " + ::gai_strerror(failure));
    return all;
}

// Nothing if there is no room for it in the epoll set.
std::optional<socket> watched(int fd, int& error)
{
    try {
        return socket(fd);
    } catch (const std::system_error& failure) {
        error = failure.code().value();
    }
    return std::nullopt;
}

// Returns: the connected socket; or nothing, and `error` says why.
std::optional<socket> try_address(const address& to, int& error)
{
    const int fd = start_connect(to);
    if (fd < 0) {
        error = -fd;
        return std::nullopt;
    }
    std::optional<socket> connecting = watched(fd, error);
    if (!connecting)
        return std::nullopt;
    fiber::check(fiber::wait_ready(connecting->descriptor(), fiber::direction::write));
    error = outcome_of_connect(fd);
    if (error != 0)
        return std::nullopt;
    return connecting;
}

[[noreturn]] void throw_broken(const endpoint& to, int error)
{
    throw broken("connect to " + to_string(to) + ": " + std::strerror(error));
}

} // namespace

socket connect(const endpoint& to)
{
    int error = 0;
    for (const address& a : find(to)) {
        if (auto connected = try_address(a, error))
            return *std::move(connected);
    }
    throw_broken(to, error);
}

} // namespace heddle::net
