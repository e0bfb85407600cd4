// Requests and answers over one stream: reads a head, runs the handler, writes the answer. Knows nothing of
// sockets, nor of fibers that come and go: whoever calls step() decides which fiber that is.
#pragma once

#include "http/head_writer.hpp"
#include "http/input_buffer.hpp"
#include "http/outbox.hpp"
#include "http/parser.hpp"
#include "http/service.hpp"
#include "http/wire_body.hpp"

#include <heddle/http/message.hpp>
#include <heddle/net/stream.hpp>

#include <string_view>

namespace heddle::net {
class tls_stream;
}

namespace heddle::http {

class exchange
{
public:
    enum class next
    {
        again,  // bytes wait that may be the next request: step() on a fresh fiber
        rest,   // all is sent; nothing can be done before the client sends more
        close,  // all is sent, and all that was sent to us is read
        linger, // all is sent, but the client may still be sending: a plain close could destroy the answer on
                // its way
        reset,  // the answer was cut short, and must not look complete
    };

    // Half a head, for the time when nobody works on the connection.
    struct half_head
    {
        std::string_view bytes;
        std::size_t examined = 0;  // bytes that need not be looked at again
        fiber::time_point since{}; // when the first of them was read
    };

    explicit exchange(std::size_t buffer_size) : input_(buffer_size) {}

    // All of these must outlive the exchange, or its end(). `half.bytes` is copied.
    // `secure`: the stream, if that is TLS.
    void begin(net::stream& stream, service& service, std::string_view peer, const half_head& half,
               const net::tls_stream* secure = nullptr);
    void end() noexcept; // keeps the memory for the next one, within bounds

    // Deals with one request, or with what there is of one. Parks: while a body is read, while the handler
    // runs, and while the client does not read. Throws: net::broken, deadline_exceeded, cancelled: the client
    // is gone or too slow. Then close.
    next step();

    // Reads and drops what the client still sends, until it ends or linger_time has passed.
    // Throws like step().
    void linger();

    bool has_served() const noexcept { return has_served_; } // a request, since begin()
    half_head half() const noexcept { return {input_.unread(), examined_, since_}; }

private:
    enum class streamed
    {
        not_at_all,
        whole,
        cut
    };

    next serve(std::size_t head_size);
    next run(bool counts); // `counts`: as one of max_requests
    streamed stream_long(response& answer);
    streamed stream_body(response& answer, const long_streams::place* place = nullptr);
    next respond(const response& answer);
    next go_on(bool keep_alive);
    next refuse(status why);
    next refuse_overloaded();
    bool drop_rest_of_body();
    void notice_draining() noexcept;
    void note_beginning() noexcept;
    bool admit() noexcept;
    bool is_limited() const noexcept;
    void count(status answered) noexcept;

    input_buffer input_;
    outbox out_;
    wire_body body_{input_, out_};
    request request_;
    asker client_;
    net::stream* stream_ = nullptr;
    const net::tls_stream* secure_ = nullptr;
    service* service_ = nullptr;
    std::string_view peer_;
    std::size_t examined_ = 0;
    fiber::time_point since_{};
    bool has_served_ = false;
    bool client_closes_ = false; // it said so, and sends nothing more
};

} // namespace heddle::http
