// Bytes in order, both ways: a socket, TLS over one, or a test's memory.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace heddle::fiber {
class scope;
}

namespace heddle::net {

class stream
{
public:
    virtual ~stream() = default;

    // Reads at least one byte, at most `into.size()`. 0 is the end of what the peer sends.
    // Parks until there is something. Throws: net::broken; deadline_exceeded, cancelled.
    virtual std::size_t read_some(std::span<char> into) = 0;

    // The same without parking: what is there now; -1 if nothing is. Throws: net::broken.
    virtual std::ptrdiff_t try_read_some(std::span<char> into) = 0;

    // Writes all of it. Parks while the peer does not read.
    // Throws: net::broken; deadline_exceeded, cancelled.
    virtual void write(std::string_view all) = 0;

    // Writes what can be written without parking, and says how much that was. Throws: net::broken.
    virtual std::size_t try_write_some(std::string_view bytes) = 0;

    // Says that nothing more will be sent.
    virtual void shutdown_write() noexcept = 0;

    // Names the scope that is cancelled when the peer resets; nullptr takes it back. After it returns, the
    // one named before is not touched any more.
    virtual void cancel_on_reset(fiber::scope* request) noexcept = 0;
};

} // namespace heddle::net
