// A listening TCP socket that goes on whatever happens to the connections, or to the process's descriptors.
#pragma once

#include <heddle/net/endpoint.hpp>
#include <heddle/net/socket.hpp>

#include <cstdint>
#include <optional>

namespace heddle::net {

class listener
{
public:
    // Listens at once. Throws: config_error, with the address and the reason.
    explicit listener(const endpoint& at);
    ~listener();
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;

    std::uint16_t port() const noexcept { return port_; }

    // Accepts one. Parks until there is one, or until the scope has ended: then nothing.
    // Without descriptors or memory it tries again every 100 ms, and says so in the log,
    // at most once a second.
    std::optional<socket> accept();

    // Accepts one that waits already. Parks never.
    std::optional<socket> try_accept();

    // What is in the backlog now is reset: call try_accept() until it gives nothing first.
    void close() noexcept;

private:
    enum class outcome
    {
        accepted,
        none,
        starved
    };
    outcome try_once(std::optional<socket>& into);

    fiber::descriptor* descriptor_ = nullptr;
    int fd_ = -1;
    std::uint16_t port_ = 0;
    fiber::time_point last_complaint_{};
};

} // namespace heddle::net
