// Serves one handler over HTTP/1.1, each request on a fiber of its own.
#pragma once

#include <heddle/base/metrics.hpp>
#include <heddle/http/listener_options.hpp>
#include <heddle/http/message.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace heddle::http {

struct server_options
{
    listener_list listen = {"127.0.0.1", 8080}; // one for clients at least

    std::int64_t max_requests = 1024; // running at once; one more is answered 503
    // Open at once. One more is told 503 and closed; a client that sends its request just then may see a
    // reset.
    std::int64_t max_connections = 16384;
    std::vector<std::string> not_limited = {"/healthz", "/startupz", "/readyz",
                                            "/metrics"}; // paths that max_requests does not count

    std::chrono::milliseconds request_budget =
        std::chrono::seconds(30); // from the whole head to the handler's return
    std::chrono::milliseconds header_time = std::chrono::seconds(5); // from a head's first byte to its last
    std::chrono::milliseconds idle_time = std::chrono::seconds(60);  // between two requests of a connection
    // To send a batch of answers, or 16 KiB of a stream. The whole stream is made within request_budget.
    std::chrono::milliseconds send_budget = std::chrono::seconds(60);
    std::chrono::milliseconds write_stall = std::chrono::seconds(5); // without the client taking a byte
    std::chrono::milliseconds linger_time =
        std::chrono::seconds(2); // to be heard by a client that still sends
    // At shutdown: goes on accepting for so long, while is_draining() and the answers' `Connection: close`
    // tell whoever shares out the load that it ends. A second signal makes an end of it.
    std::chrono::milliseconds notice_time = std::chrono::seconds(0);
    std::chrono::milliseconds drain_budget = std::chrono::seconds(10);    // at shutdown, for what runs
    std::chrono::milliseconds interrupt_budget = std::chrono::seconds(2); // then, for what was cancelled

    std::size_t header_limit = 16 * 1024;   // bytes of a request's head
    std::size_t field_limit = 100;          // lines in it
    std::size_t target_limit = 8 * 1024;    // bytes
    std::uint64_t body_limit = 1024 * 1024; // bytes, after the chunked coding is taken off

    // SIGTERM and SIGINT end serve(), SIGUSR1 writes the fibers to the log; with TLS, SIGHUP is reload_tls().
    bool handle_signals = true;
    std::function<void()> on_drain = {}; // called once, by serve(), when it begins to end; may park
};

// A listener that is open.
struct listening_at
{
    net::endpoint at; // with the port that it got
    listener_kind kind = listener_kind::clients;
    bool is_inherited = false;
};

// What has happened so far.
struct server_counters
{
    counter accepted;                // connections
    counter turned_away;             // connections over max_connections
    counter requests;                // whole heads
    counter overloaded;              // requests over max_requests
    counter cancelled;               // requests whose client had gone
    counter cut;                     // streamed answers that failed after their first byte
    counter timed_out;               // connections closed because a head did not come in time
    counter idled_out;               // connections closed because no request came
    std::array<counter, 5> answered; // by the status's class: 1xx, 2xx, ...
};

class server
{
public:
    // Listens at once, and serves from serve() on. Inside fiber::run() only. `application` must be callable
    // from many fibers at once.
    // Throws: config_error, which names every wrong option, or the address that cannot be had.
    // `operations` answers at the listeners of that kind.
    server(server_options options, handler application, handler operations = {});
    ~server();
    server(const server&) = delete;
    server& operator=(const server&) = delete;

    // Serves until SIGTERM, SIGINT or stop(), and for notice_time. Then takes no more connections, closes
    // those that are idle, and answers what has been accepted, with `Connection: close`; what waits at an
    // inherited listener is left to the process that follows. What has not ended after drain_budget is
    // cancelled. Handlers that have not even ended interrupt_budget later still use what the caller is about
    // to destroy: then they are named on stderr, and the process exits with 1. Parks: until all of that is
    // over.
    void serve();

    // As if SIGTERM had come. Threads: any.
    void stop() noexcept;

    // Reads the listeners' certificates again, for connections from then on; those that are open keep theirs.
    // Parks. Throws: config_error, with the file; then all stay as they were.
    void reload_tls();

    std::vector<listening_at> listening() const; // all, in the options' order
    // Of the first TCP listener of that kind; 0 without one.
    std::uint16_t port() const noexcept;
    std::uint16_t operations_port() const noexcept;

    std::int64_t requests_running() const noexcept;
    std::int64_t connections_open() const noexcept;
    bool is_draining() const noexcept; // then readiness is over
    const server_counters& counters() const noexcept;

private:
    struct implementation;
    std::unique_ptr<implementation> implementation_;
};

} // namespace heddle::http
