// Asks other services: a handler whose answers come from elsewhere. Connections are kept and bounded for each
// origin, and every wait ends with the caller's scope.
#pragma once

#include <heddle/base/metrics.hpp>
#include <heddle/fiber/clock.hpp>
#include <heddle/fiber/pool_core.hpp>
#include <heddle/http/body_source.hpp>
#include <heddle/http/message.hpp>
#include <heddle/http/origin.hpp>
#include <heddle/http/sink.hpp>
#include <heddle/net/tls.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace heddle::net {
class stream;
}

namespace heddle::http {

struct client_options
{
    // "http://127.0.0.1:9000": where every request goes, whatever host its target names. Empty: where the
    // target says, which is then absolute; choose that only for targets that no client of yours has a say in.
    std::string origin = {};

    // Of each origin.
    std::int64_t max_connections = 16;                           // hence requests at a time
    std::int64_t waiting = 64;                                   // requests in the queue
    fiber::duration queue_wait = std::chrono::milliseconds(100); // longest time in it
    fiber::duration connect_budget = std::chrono::seconds(1);    // look-up, connecting and TLS
    fiber::duration write_stall = std::chrono::seconds(5);       // without it taking a byte
    fiber::duration answer_budget = std::chrono::seconds(10);    // from all sent to the answer's head
    fiber::duration read_stall = std::chrono::seconds(10);       // without a byte of the answer's body
    fiber::duration max_idle = std::chrono::seconds(30);         // then a connection is closed
    std::size_t max_origins = 64;                                // at a time; idle ones make room

    std::size_t header_limit = 16 * 1024;     // bytes of an answer's head
    std::size_t field_limit = 100;            // lines in it
    std::uint64_t max_body = 4 * 1024 * 1024; // bytes of an answer that is not streamed

    // Only what may be repeated is sent again (GET, HEAD, PUT, DELETE, OPTIONS, with a body that is in
    // memory), only if not a byte of an answer has come, and only a part of all requests.
    unsigned retries = 2;              // of one request
    double retry_share = 0.1;          // of all requests
    double least_retries_a_second = 1; // also of few requests

    unsigned max_redirects = 0;              // 0: a redirect is the answer
    bool redirects_to_other_origins = false; // without Authorization and Cookie; never from https to http

    bool sends_request_id = false;    // the scope's, as X-Request-Id
    std::string deadline_header = {}; // the field that says how many milliseconds are left. Empty: none

    // For https. Empty: the upstream's certificate has to be one that the system trusts.
    net::tls_context_ptr tls = {};

    // How to connect to an origin; runs within connect_budget, on a fiber of the pool's, and may outlive the
    // client. Empty: TCP, and `tls` over it.
    std::function<std::unique_ptr<net::stream>(const http::origin&)> open = {};
};

// What has happened so far.
struct client_counters
{
    counter requests;                // asked for
    std::array<counter, 5> answered; // heads that came, by the status's class: 1xx, 2xx, ...
    counter failed;                  // could not be connected to, broke, or sent what cannot be read
    counter timed_out;               // no connection, no head or no body in time
    counter ended;                   // the caller's scope was over first
    counter overloaded;              // not sent: too many at a time
    counter retries;                 // sent again, out of the budget
    counter retries_refused;         // not sent again: the budget was used up
    counter stale;                   // sent again, because a kept connection turned out to be closed
    counter redirects;               // followed
    histogram answer_time;           // from the first byte sent to the answer's head
};

// What a request is sent with in the place of its own body: made while it is sent, once.
struct upload
{
    std::function<void(sink&)> produce;
    std::optional<std::uint64_t> length = {}; // bytes; unknown: in chunks
};

// Fields that belong to one connection (Connection and what it names, Content-Length, Transfer-Encoding, ...)
// are left out both ways, so a request may be passed on as it came; Host is the origin's.
// Threads: any fiber of the runtime, many at once. Inside its own `use` or `produce` it throws: that could
// wait for itself.
class client
{
public:
    // The whole answer, to be looked at before its body. `body` is good until it returns.
    using consumer = std::function<void(const response& head, body_source& body)>;

    // Call it on a fiber. Throws: config_error, naming every wrong field.
    explicit client(client_options options);
    ~client();
    client(const client&) = delete;
    client& operator=(const client&) = delete;

    // The answer, whatever its status, with its body. As a handler: std::ref(client).
    // Parks. Throws: overloaded, too many at a time: nothing was sent. error: upstream (no connection, a
    // broken one, a malformed or too large answer), upstream_timeout; internal, when the request's target or
    // a field cannot be sent. deadline_exceeded, cancelled. What the request's own body throws.
    response operator()(const request& req) const;
    response operator()(const request& req, const upload& body) const;

    // The same, with the body piece by piece: a reader that takes its time holds the upstream back.
    // Throws: also what `use` and `body.produce` throw; then the connection is closed.
    void stream(const request& req, const consumer& use) const;
    void stream(const request& req, const upload& body, const consumer& use) const;

    const client_counters& counters() const noexcept;
    // Of the connections to one origin; to `options.origin` without an argument.
    fiber::pool_statistics connections() const;
    fiber::pool_statistics connections(const http::origin& to) const;

private:
    struct implementation;
    std::shared_ptr<implementation> implementation_;
};

} // namespace heddle::http
