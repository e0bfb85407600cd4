// The origins that a client talks to: for each a gate, and a pool of connections.
#pragma once

#include "http/client_connection.hpp"

#include <heddle/fiber/gate.hpp>
#include <heddle/fiber/pool.hpp>
#include <heddle/http/client.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

namespace heddle::http {

struct upstream
{
    upstream(const http::origin& to, const client_options& options);

    const std::string name; // "http://127.0.0.1:9000"
    fiber::gate gate;
    fiber::pool<client_connection> pool; // as large as the gate lets in: who is in waits for connecting only
    std::atomic<fiber::time_point> used_at{};
};

// Threads: any fiber.
class upstreams
{
public:
    // `options` must outlive it.
    explicit upstreams(const client_options& options) : options_(options) {}

    // Throws: overloaded, when there are as many as may be, and all are in use.
    std::shared_ptr<upstream> at(const http::origin& to);

    // Nothing if it is not known.
    std::shared_ptr<upstream> find(const http::origin& to) const;

private:
    std::shared_ptr<upstream> make_room();

    const client_options& options_;
    mutable std::mutex mutex_; // nothing parks under it; upstreams are made and destroyed outside
    std::map<http::origin, std::shared_ptr<upstream>> all_;
};

} // namespace heddle::http
