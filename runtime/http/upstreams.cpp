#include "http/upstreams.hpp"

#include <heddle/base/error.hpp>
#include <heddle/net/socket.hpp>
#include <heddle/net/tls_stream.hpp>

#include <chrono>
#include <exception>
#include <utility>

namespace heddle::http {

namespace {

using opener = std::function<std::unique_ptr<net::stream>(const http::origin&)>;

opener over_the_network(fiber::duration write_stall, net::tls_context_ptr tls)
{
    return [write_stall, tls = std::move(tls)](const http::origin& to) -> std::unique_ptr<net::stream> {
        net::socket socket = net::connect(to.endpoint());
        socket.set_write_stall(write_stall);
        if (to.is_secure)
            return net::tls_connect(std::move(socket), tls, to.host);
        return std::make_unique<net::socket>(std::move(socket));
    };
}

// So that it is the opener who says that connecting took too long.
constexpr fiber::duration margin = std::chrono::milliseconds(50);

fiber::gate_options gate_options(const std::string& name, const client_options& options)
{
    return {.name = name,
            .running = options.max_connections,
            .waiting = options.waiting,
            .queue_wait = options.queue_wait};
}

// Every connection is looked at before it is used again, which costs one system call and no round trip.
fiber::pool_options pool_options(const std::string& name, const client_options& options)
{
    return {.name = name,
            .size = options.max_connections,
            .acquire_budget = options.connect_budget + margin,
            .connect_budget = options.connect_budget,
            .opening_at_once = options.max_connections, // nobody waits for another one's connect
            .max_idle = options.max_idle,
            .check_after = fiber::duration::zero(),
            .leak_after = fiber::duration::zero()}; // a stream may take long
}

// A reason is handed to one borrower, as a connection would be.
std::unique_ptr<client_connection> open_or_say_why(const http::origin& to, const answer_limits& limits,
                                                   const opener& open)
{
    std::exception_ptr why_not;
    try {
        return std::make_unique<client_connection>(open(to), limits);
    } catch (const cancelled&) { // the runtime is about to stop
        throw;
    } catch (const deadline_exceeded&) {
        why_not = std::make_exception_ptr(error(kind::upstream_timeout, "connecting took too long"));
    } catch (const error&) {
        why_not = std::current_exception();
    } catch (const std::exception& e) { // of an opener that knows no kinds
        why_not = std::make_exception_ptr(error(kind::upstream, e.what()));
    } catch (...) {
        why_not = std::current_exception();
    }
    return std::make_unique<client_connection>(std::move(why_not));
}

// All by value: the pool's fibers may outlive the client.
fiber::pool_functions<client_connection> functions_for(const http::origin& to, const client_options& options)
{
    const answer_limits limits{.head = options.header_limit, .fields = options.field_limit};
    auto open = options.open ? options.open : over_the_network(options.write_stall, options.tls);
    return {.open = [to, limits, open = std::move(open)] { return open_or_say_why(to, limits, open); },
            .check = [](client_connection& c) { return c.is_fresh(); },
            .keep = [](client_connection& c) { return c.is_reusable(); }};
}

// With the lock held, under which alone others get it.
bool is_unused(const std::shared_ptr<upstream>& u) noexcept
{
    return u.use_count() == 1;
}

} // namespace

upstream::upstream(const http::origin& to, const client_options& options)
    : name(to_string(to)),
      gate(gate_options(name, options)),
      pool(pool_options(name, options), functions_for(to, options))
{
}

std::shared_ptr<upstream> upstreams::at(const http::origin& to)
{
    auto found = find(to);
    if (!found) {
        const auto made = std::make_shared<upstream>(to, options_);
        std::shared_ptr<upstream> removed; // destroyed after the lock
        const std::lock_guard lock(mutex_);
        if (!all_.contains(to))
            removed = make_room();
        found = all_.try_emplace(to, made).first->second;
    }
    found->used_at.store(fiber::now(), std::memory_order_relaxed);
    return found;
}

std::shared_ptr<upstream> upstreams::find(const http::origin& to) const
{
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(to);
    return found == all_.end() ? nullptr : found->second;
}

// Whoever still uses the one that goes keeps it alive.
std::shared_ptr<upstream> upstreams::make_room()
{
    if (all_.size() < options_.max_origins)
        return nullptr;
    auto oldest = all_.end();
    for (auto one = all_.begin(); one != all_.end(); ++one) {
        if (is_unused(one->second) &&
            (oldest == all_.end() || one->second->used_at.load(std::memory_order_relaxed) <
                                         oldest->second->used_at.load(std::memory_order_relaxed)))
            oldest = one;
    }
    if (oldest == all_.end())
        throw overloaded(overloaded::why::full, "too many origins are in use");
    return std::move(all_.extract(oldest).mapped());
}

} // namespace heddle::http
