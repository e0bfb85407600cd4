// The body of the request that a connection is at: read when somebody asks, and what nobody asked for is
// dropped.
#pragma once

#include "http/chunked.hpp"
#include "http/framing.hpp"
#include "http/input_buffer.hpp"
#include "http/outbox.hpp"

#include <heddle/http/body_source.hpp>
#include <heddle/net/stream.hpp>

#include <atomic>
#include <cstdint>

namespace heddle::http {

class wire_body final : public body_source
{
public:
    // Both must outlive it. `input` holds what was read along with the head, and afterwards with the body.
    wire_body(input_buffer& input, outbox& out) noexcept : input_(input), out_(out) {}

    void begin(net::stream& stream, const framing& framing) noexcept;

    // While it waits for the client it takes one off `running`, for the request does not run: no client that
    // is slow to send keeps another one out, until it has sent so much that the memory counts. nullptr: it is
    // not counted. Until the next begin().
    void counts_in(std::atomic<std::int64_t>* running) noexcept { running_ = running; }

    // Answers that wait are sent first: the client may wait for them before it sends on.
    // Throws: rejected, 400 when it is malformed, 408 when the scope's time is over first; cancelled when the
    // client has gone.
    std::size_t read_some(std::span<char> into) override;

    bool is_complete() const noexcept { return state_ == state::complete; }
    bool is_gone() const noexcept { return state_ == state::gone; }

    // Takes what has come already. Whether the rest is so little that it is worth being read and dropped: if
    // not, the connection ends with the answer.
    bool can_be_left() noexcept;

    // Reads the rest and drops it. Parks, for as long as the scope lasts. Throws: as read_some().
    void drop();

private:
    enum class state
    {
        reading,
        complete,
        broken, // malformed, late or given up: what follows cannot be told from a request
        gone,   // so is the client, maybe in the middle of an earlier answer: nothing can be sent behind that
    };

    void check_is_readable();
    std::size_t take(std::span<char> into);
    std::size_t take_chunked(std::span<char> into);
    std::size_t took(std::size_t count) noexcept;
    std::size_t fetch(std::span<char> into);
    std::size_t fetch_apart(std::span<char> into);
    std::size_t fetch_or_say_why(std::span<char> into);
    [[noreturn]] void fail(status why, const char* detail);

    input_buffer& input_;
    outbox& out_;
    net::stream* stream_ = nullptr;
    std::atomic<std::int64_t>* running_ = nullptr;
    state state_ = state::complete;
    framing::body_kind kind_ = framing::body_kind::none;
    bool owes_continue_ = false; // the client waits to be asked for it
    std::uint64_t left_ = 0;     // of a sized one
    std::uint64_t given_ = 0;    // bytes, to who reads
    status why_ = status::ok;    // it is broken; ok: given up
    const char* detail_ = "";
    chunk_decoder decoder_;
};

} // namespace heddle::http
