// A listening socket, TCP or unix-domain, that goes on whatever happens to the connections, or to the
// process's descriptors.
#pragma once

#include <heddle/net/endpoint.hpp>
#include <heddle/net/socket.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace heddle::net {

class socket_file;

struct listening
{
    int backlog = 4096;        // connections that may wait; the kernel's net.core.somaxconn is the most
    unsigned unix_mode = 0660; // of a unix-domain socket's file: who may write to it may connect
};

class listener
{
public:
    // Listens at once. A unix-domain socket's file that nobody listens on any more is replaced, and the new
    // one is removed by close(), if it is still the same.
    // Throws: config_error, with the endpoint and the reason.
    explicit listener(const endpoint& at, const listening& how = {});
    // Takes over a socket that listens already, such as systemd's, and which others may have too.
    // Throws: config_error: it is no listening stream socket; it is still the caller's then.
    explicit listener(int inherited);
    ~listener();
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;

    const endpoint& at() const noexcept { return at_; } // with the port that it got
    std::uint16_t port() const noexcept { return at_.port; }
    bool is_inherited() const noexcept { return is_inherited_; }

    // Accepts one. Parks until there is one, or until the scope has ended: then nothing.
    // Without descriptors or memory it tries again every 100 ms, and says so in the log,
    // at most once a second.
    std::optional<socket> accept();

    // Accepts one that waits already. Parks never.
    std::optional<socket> try_accept();

    // What is in the backlog now is reset: call try_accept() until it gives nothing first. Not if it was
    // inherited: then it is left to whoever else has the socket.
    void close() noexcept;

private:
    enum class outcome
    {
        accepted,
        none,
        starved
    };
    outcome try_once(std::optional<socket>& into);
    void watch(int fd);

    fiber::descriptor* descriptor_ = nullptr;
    int fd_ = -1;
    bool is_inherited_ = false;
    endpoint at_;
    std::unique_ptr<socket_file> file_; // nothing: it has none, or it is not ours
    fiber::time_point last_complaint_{};
};

} // namespace heddle::net
