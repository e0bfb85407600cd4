#include <heddle/net/service_manager.hpp>

#include <heddle/base/error.hpp>
#include <heddle/base/log.hpp>
#include <heddle/fiber/offload.hpp>

#include "net/address.hpp"
#include "net/environment.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace heddle::net {

namespace {

constexpr timeval longest_send{.tv_sec = 5, .tv_usec = 0}; // its queue is full

// 0, or the error. Blocks without MSG_DONTWAIT: for a helper thread.
[[gnu::noinline]] int send_datagram(const address& to, const std::string& text, int flags) noexcept
{
    const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return errno;
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &longest_send, sizeof longest_send);
    const bool is_sent = ::sendto(fd, text.data(), text.size(), MSG_NOSIGNAL | flags, to.get(), to.size) >= 0;
    const int error = is_sent ? 0 : errno;
    ::close(fd);
    return error;
}

} // namespace

service_manager service_manager::from_environment()
{
    service_manager found;
    const auto socket = taken_from_environment("NOTIFY_SOCKET");
    const auto period = taken_from_environment("WATCHDOG_USEC");
    const auto pid = taken_from_environment("WATCHDOG_PID");
    if (!socket || socket->empty())
        return found;
    if ((socket->front() != '/' && socket->front() != '@') || !address_of({.path = *socket}))
        throw config_error("NOTIFY_SOCKET: \"" + *socket + "\" is no path of a unix-domain socket");
    found.socket_ = *socket;
    if (period && (!pid || number_of("WATCHDOG_PID", *pid) == ::getpid()))
        found.watchdog_ = std::chrono::microseconds(number_of("WATCHDOG_USEC", *period));
    return found;
}

void service_manager::tell(const std::string& lines) const
{
    if (!listens())
        return;
    const address to = *address_of({.path = socket_});
    int error = send_datagram(to, lines, MSG_DONTWAIT); // the helper threads may all be busy
    if (error == EAGAIN)
        error = fiber::offload([&] { return send_datagram(to, lines, 0); });
    if (error != 0)
        log::warn("the service manager cannot be told", {{"what", lines}, {"cause", std::strerror(error)}});
}

} // namespace heddle::net
