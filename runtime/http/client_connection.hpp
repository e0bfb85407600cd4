// One connection to an upstream, and how far the exchange on it has come: that decides whether there may be
// another one.
#pragma once

#include "http/chunked.hpp"
#include "http/input_buffer.hpp"
#include "http/response_parser.hpp"

#include <heddle/fiber/clock.hpp>
#include <heddle/net/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string_view>

namespace heddle::http {

struct answer_limits
{
    std::size_t head = 16 * 1024; // bytes
    std::size_t fields = 100;     // lines in it
};

// Threads: one fiber at a time.
class client_connection
{
public:
    client_connection(std::unique_ptr<net::stream> stream, const answer_limits& limits);
    // One that could not be opened. It takes a connection's place in the pool, so that whoever waits for it
    // learns why at once.
    explicit client_connection(std::exception_ptr why_not);

    // Whether an exchange may begin: the peer has neither closed it nor said anything unasked; or it has only
    // just failed to open. Never parks. Throws: net::broken.
    bool is_fresh();

    // Whether this exchange is not the first, so that the peer may have closed it meanwhile.
    bool is_reused() const noexcept { return exchanges_ > 1; }
    // Whether a byte of this exchange's answer has come.
    bool has_answer_begun() const noexcept { return has_answer_begun_; }
    // Whether another exchange may follow: this one is over, on both ways.
    bool is_reusable() const noexcept;

    // Throws: why it could not be opened.
    void begin();
    void send(std::string_view bytes) { stream_->write(bytes); }
    void note_sent() noexcept { is_sent_ = true; }

    // Informational answers before it are passed over.
    // Throws: net::broken; error (upstream) when it is malformed; deadline_exceeded, cancelled.
    received_head receive_head(bool asked_for_head);

    // The body's next bytes; 0 at its end. Throws: the same.
    std::size_t receive_body(std::span<char> into);
    // Whether the rest of the body, of at most so many bytes if that is known, leads to another exchange.
    bool is_worth_draining(std::uint64_t most) const noexcept
    {
        return is_sent_ && keep_alive_ && kind_ != received_head::body_kind::until_close && left_ <= most;
    }
    bool is_body_complete() const noexcept { return state_ == state::complete; }

private:
    enum class state
    {
        awaits_head,
        reading,
        complete,
        broken,
    };

    bool is_silent();
    std::string_view wait_for_head();
    std::size_t take_sized(std::span<char> into);
    std::size_t take_chunked(std::span<char> into);
    std::size_t take_until_close(std::span<char> into);
    std::size_t fetch(std::span<char> into);

    const std::unique_ptr<net::stream> stream_; // nullptr: it could not be opened
    const std::exception_ptr why_not_;
    const fiber::time_point made_at_ = fiber::now();
    const answer_limits limits_;
    input_buffer input_;
    std::uint64_t exchanges_ = 0;
    state state_ = state::complete;
    bool is_sent_ = true;
    bool has_answer_begun_ = false;
    bool keep_alive_ = true;
    received_head::body_kind kind_ = received_head::body_kind::none;
    std::uint64_t left_ = 0; // of a sized one
    chunk_decoder decoder_;
};

} // namespace heddle::http
