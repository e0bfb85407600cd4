// One request's way to an upstream and back: its turn, a connection, the exchange, and what leads to another
// round: a connection that turned out to be closed, a retry, a redirect.
#pragma once

#include "http/request_writer.hpp"
#include "http/retry_budget.hpp"
#include "http/upstreams.hpp"

#include <heddle/http/client.hpp>

#include <exception>
#include <optional>
#include <type_traits>
#include <vector>

namespace heddle::http {

// What the calls of a client share.
struct client_parts
{
    explicit client_parts(client_options with);

    const client_options options;
    const std::optional<http::origin> base; // nothing: each target says it
    client_counters counters;
    retry_budget budget;
    http::upstreams upstreams;
};

class client_call
{
public:
    // All must outlive it. `body`: may be nullptr.
    client_call(client_parts& client, const request& req, const upload* body, const client::consumer& use);

    void run();

private:
    class reading;

    bool hop();
    fiber::lease<client_connection> connect(upstream& at);
    std::optional<received_head> try_once(client_connection& on, std::exception_ptr& failure);
    std::exception_ptr send(client_connection& on);
    received_head receive(client_connection& on);
    bool may_retry(const client_connection& failed);
    bool is_redirected(const received_head& head);
    void drain(client_connection& on);

    std::vector<added_field> added_fields() const;
    bool streams_body() const noexcept { return out_.sends_body && (upload_ || reads_body_); }

    template <class F>
    std::invoke_result_t<F> limited(fiber::duration budget, const char* late, F&& f);
    template <class F>
    std::invoke_result_t<F> ours(F&& f);
    [[noreturn]] void fail(const error& e);

    client_parts& client_;
    const request& request_;
    const upload* const upload_;
    const bool reads_body_; // the request's own, which comes while it is sent
    const client::consumer& use_;
    outgoing out_;
    unsigned redirects_ = 0;
    unsigned retries_ = 0;
    bool was_stale_ = false;
    bool foreign_ = false; // what is thrown comes from who makes the body
};

} // namespace heddle::http
