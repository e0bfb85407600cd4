// What every exchange of a listener looks at: the handler, the limits, and the counts.
#pragma once

#include <heddle/http/server.hpp>

#include "http/long_streams.hpp"

#include <atomic>
#include <cstdint>

namespace heddle::http {

class tls_door;

// One server's, shared by its listeners.
struct server_state
{
    server_options options;
    server_counters counters;
    std::atomic<std::int64_t> running = 0; // requests that max_requests counts
    std::atomic<bool> draining = false;    // every answer is its connection's last
    http::long_streams long_streams;
    std::atomic<bool> may_rest = true; // false: a connection with nothing to do is closed
};

struct service
{
    server_state& state;
    handler application;
    bool is_limited = true;        // whether max_requests counts here
    const tls_door* tls = nullptr; // not null: its connections are encrypted
};

// One of max_requests; gives itself back.
class running_request
{
public:
    explicit running_request(std::atomic<std::int64_t>* running) noexcept
        : running_(running) {} // nullptr: not counted
    ~running_request()
    {
        if (running_)
            running_->fetch_sub(1, std::memory_order_relaxed);
    }
    running_request(const running_request&) = delete;
    running_request& operator=(const running_request&) = delete;

private:
    std::atomic<std::int64_t>* running_ = nullptr;
};

} // namespace heddle::http
