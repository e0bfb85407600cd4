// TLS over a socket, as a stream.
#pragma once

#include <heddle/net/socket.hpp>
#include <heddle/net/tls.hpp>

#include <exception>
#include <memory>
#include <string>

struct ssl_st;

namespace heddle::net {

// One fiber at a time, on whichever thread: OpenSSL is never left in the middle of a call.
class tls_stream final : public stream
{
public:
    enum class progress
    {
        done,
        wants_read,
        wants_write,
    };

    // A server's end. `under` must outlive it, and stay where it is.
    tls_stream(socket& under, tls_context_ptr context);
    // A client's end, which owns the socket. `host` is whom it wants to speak with: a name, or an address
    // without brackets.
    tls_stream(socket under, tls_context_ptr context, const std::string& host);
    ~tls_stream() override; // says nothing to the peer
    tls_stream(const tls_stream&) = delete;
    tls_stream& operator=(const tls_stream&) = delete;

    // Comes before all else. Throws: tls_error, with the reason; broken; deadline_exceeded, cancelled.
    void handshake();
    progress try_handshake(); // the same without parking
    bool is_ready() const noexcept { return is_ready_; }

    // What comes is taken off OpenSSL's hands as far as there is room, so what is left lies in the socket, or
    // the buffer is full.
    // An end that the peer did not announce is `broken` for a client: it may be somebody else who cut the
    // connection. For a server it is an end.
    std::size_t read_some(std::span<char> into) override;
    std::ptrdiff_t try_read_some(std::span<char> into) override;
    void write(std::string_view all) override;
    // After it has written less than all, the next bytes must be those that are left.
    std::size_t try_write_some(std::string_view bytes) override;
    void shutdown_write() noexcept override; // without parking
    // Whether the next read says something without a byte from the socket: the peer's end, or a failure.
    bool has_news() const noexcept { return has_news_; }
    // Whether a part of a record has come.
    bool has_part() const noexcept;
    // Whether TLS has an answer of its own for the peer, who must read it before anything else can be read.
    bool owes_bytes() const noexcept { return lacks_ == progress::wants_write; }
    void cancel_on_reset(fiber::scope* request) noexcept override { socket_.cancel_on_reset(request); }

    std::string protocol() const; // ALPN's choice; empty: none
    std::string version() const;  // "TLSv1.3"
    std::string
    peer_subject() const; // of the certificate the peer has shown, RFC 2253: "CN=ada,O=x"; or empty
    bool was_resumed() const noexcept;

    socket& under() noexcept { return socket_; }

private:
    struct bio; // how OpenSSL reaches the socket

    void open(tls_context_ptr context);
    void wait_for(progress what);
    std::ptrdiff_t nothing_read(int result);
    void note_what_follows(int why);
    progress outcome_of(int result, const char* what);
    [[noreturn]] void fail(const char* what);

    socket own_;
    socket& socket_;
    tls_context_ptr context_;
    ssl_st* ssl_ = nullptr;
    std::exception_ptr failure_;            // of the socket: thrown once OpenSSL has returned
    progress lacks_ = progress::wants_read; // what try_read_some() waits for
    bool is_ready_ = false;
    bool has_ended_ = false; // the socket
    bool has_news_ = false;
    bool may_have_more_ = false; // the socket gave as much as it was asked for
};

// Speaks TLS over `under` with `host`. Parks. Throws: tls_error, as for a certificate that is not trusted or
// is another host's; broken; deadline_exceeded, cancelled.
std::unique_ptr<tls_stream> tls_connect(socket under, const tls_context_ptr& context,
                                        const std::string& host);

} // namespace heddle::net
