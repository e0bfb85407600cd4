// Whoever started this process and wants to hear how it is: systemd, by its notification protocol, which is a
// datagram of lines.
#pragma once

#include <heddle/fiber/clock.hpp>

#include <string>

namespace heddle::net {

class service_manager
{
public:
    service_manager() = default; // nobody listens

    // As NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID say, which are taken out of the environment.
    // Throws: config_error: they are not what they should be.
    // Threads: while there is only one, as it changes the environment.
    // Source: sd_notify(3), sd_watchdog_enabled(3).
    static service_manager from_environment();

    bool listens() const noexcept { return !socket_.empty(); }

    // It takes the process for hung when it has not been told "WATCHDOG=1" for so long. 0: it does not care.
    fiber::duration watchdog() const noexcept { return watchdog_; }

    // Tells it `lines`, such as "READY=1\nSTATUS=serving". What cannot be sent is named in the log.
    // Parks: until a helper thread has sent it. Throws: deadline_exceeded, cancelled.
    void tell(const std::string& lines) const;

private:
    std::string socket_; // the path, or "@name"
    fiber::duration watchdog_{0};
};

} // namespace heddle::net
