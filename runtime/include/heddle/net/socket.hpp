// A connected socket as a stream: TCP, or a unix-domain one.
#pragma once

#include <heddle/fiber/clock.hpp>
#include <heddle/net/endpoint.hpp>
#include <heddle/net/stream.hpp>

#include <string>

namespace heddle::fiber {
struct descriptor;
}

namespace heddle::net {

class socket final : public stream
{
public:
    socket() noexcept = default;
    // Takes over `fd`, which is non-blocking; closes it if that fails. Throws: std::system_error.
    explicit socket(int fd);
    socket(socket&& other) noexcept;
    socket& operator=(socket&& other) noexcept;
    ~socket() override; // closes

    bool is_open() const noexcept { return descriptor_ != nullptr; }

    std::size_t read_some(std::span<char> into) override;
    std::ptrdiff_t try_read_some(std::span<char> into) override;
    void write(std::string_view all) override;
    std::size_t try_write_some(std::string_view bytes) override;
    void shutdown_write() noexcept override;
    void cancel_on_reset(fiber::scope* request) noexcept override;

    // Parks until a try_read_some() or try_write_some() that had nothing to do may have something.
    // Throws: deadline_exceeded, cancelled; to write: broken when the peer takes nothing for too long.
    void wait_readable();
    void wait_writable();

    // A write throws `broken` when the peer has taken nothing for this long, and after close() the kernel
    // drops what he has not taken. Default: 5 s.
    void set_write_stall(fiber::duration d) noexcept { write_stall_ = d; }

    // Ends both directions while others may still read and write here: they find the connection broken.
    // Threads: any, as long as nobody closes it.
    void shutdown_both() noexcept;
    void close() noexcept;
    // Closes with a reset, so that the peer cannot take what it got for all of it. A unix-domain socket has
    // no such thing: its peer sees the end.
    void close_with_reset() noexcept;
    bool was_reset() const noexcept;
    bool has_come() const noexcept; // whether read_some() would return at once

    std::string peer() const; // "127.0.0.1:40312", or "unix", whose clients have no name; empty: it is gone

    fiber::descriptor* descriptor() const noexcept { return descriptor_; }

private:
    fiber::descriptor* descriptor_ = nullptr;
    int fd_ = -1; // the descriptor's own, which only its lock guards
    fiber::duration write_stall_ = std::chrono::seconds(5);
};

// Connects; a host that is a name is looked up on a helper thread, and each of its addresses is tried in turn.
// Parks until one has answered; a unix-domain listener whose backlog is full is broken at once.
// Throws: broken; deadline_exceeded, cancelled.
socket connect(const endpoint& to);

} // namespace heddle::net
