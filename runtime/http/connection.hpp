// One connection's record. While nobody asks for anything this is all there is of it: no fiber,
// no stack, no buffer.
#pragma once

#include "fiber/spin.hpp"
#include "http/service.hpp"

#include <heddle/fiber/clock.hpp>
#include <heddle/net/tls_stream.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace heddle::http {

class connections;

struct connection
{
    enum class state : std::uint8_t
    {
        free,
        working, // a fiber owns everything here but what the lock guards
        idle,    // in the epoll set; whoever finds it so under the lock may take it
    };

    fiber::spin lock; // guards `state`, and `socket` against being closed; taken before the descriptor's lock
    std::atomic<connection::state> state = state::free; // read without the lock as a hint
    std::atomic<fiber::duration::rep> expires = 0;      // idle: when it is closed, in ns of fiber::now()
    bool is_half = false;                               // idle: in the middle of a head, or of a hand-shake
    std::uint32_t examined = 0;                         // of `half`
    net::socket socket;
    std::unique_ptr<net::tls_stream> tls; // over `socket`, of an encrypted one
    std::string half;                     // the part of a head that has come; exactly sized
    fiber::time_point half_since{}; // when its first byte came; of a hand-shake, when the connection did
    std::string peer;
    http::service* service = nullptr;
    connections* owner = nullptr;
    connection* next_free = nullptr;
};

inline net::stream& stream_of(connection& c) noexcept
{
    return c.tls ? static_cast<net::stream&>(*c.tls) : c.socket;
}

static_assert(sizeof(connection) < 400);

} // namespace heddle::http
