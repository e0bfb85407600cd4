// A connection's work, from the event that wakes it to the moment when it rests again. Each request runs on a
// fiber of its own: the fiber that the event started takes the first one, and is followed by one for each
// more.
#include "http/connection_fiber.hpp"

#include "fiber/reactor.hpp"
#include "fiber/spawn.hpp"
#include "http/connections.hpp"
#include "http/exchange.hpp"
#include "http/greeting.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

namespace heddle::http {

namespace {

// An exchange with its buffers, for as long as a connection has work.
struct workplace
{
    explicit workplace(std::size_t buffer_size) : exchange(buffer_size), buffer_size(buffer_size) {}

    http::exchange exchange;
    std::size_t buffer_size;
    http::connection* connection = nullptr;
};

constexpr std::size_t most_spare = 64;          // workplaces a thread keeps
constexpr std::size_t least_buffer = 16 * 1024; // bytes

// Not inline: a fiber must not remember the thread that it has left.
[[gnu::noinline]] std::vector<std::unique_ptr<workplace>>& spare_workplaces() noexcept
{
    thread_local std::vector<std::unique_ptr<workplace>> spare;
    return spare;
}

std::unique_ptr<workplace> take_workplace(std::size_t buffer_size)
{
    auto& spare = spare_workplaces();
    spare.reserve(most_spare); // so that one can be given back without memory
    while (!spare.empty()) {
        std::unique_ptr<workplace> again = std::move(spare.back());
        spare.pop_back();
        if (again->buffer_size == buffer_size)
            return again;
    }
    return std::make_unique<workplace>(buffer_size);
}

void give_back(std::unique_ptr<workplace> w) noexcept
{
    w->exchange.end();
    auto& spare = spare_workplaces();
    if (spare.size() < spare.capacity())
        spare.push_back(std::move(w));
}

void close(std::unique_ptr<workplace> w, bool with_reset = false) noexcept
{
    connection* const c = w->connection;
    give_back(std::move(w));
    c->owner->close(c, with_reset);
}

void wake(void* argument);

bool may_rest(const connection& c) noexcept
{
    return c.service->state.may_rest.load(std::memory_order_relaxed);
}

// Leaves the connection alone until something comes. False if that cannot be: something has come meanwhile.
// From the moment it rests another fiber may work on it, or close it.
bool lay_to_rest(connection& c, fiber::time_point until) noexcept
{
    c.expires = until.time_since_epoch().count();
    fiber::spin_lock guard(c.lock);
    if (!may_rest(c))
        return false; // whoever closes the idle ones may have passed here already
    if (c.tls && c.tls->has_news())
        return false;
    c.state = connection::state::idle;
    if (fiber::when_readable(c.socket.descriptor(), &wake, &c))
        return true;
    c.state = connection::state::working;
    return false;
}

// Throws: std::bad_alloc, before it rests.
bool rest(workplace& w)
{
    connection& c = *w.connection;
    const server_options& options = c.service->state.options;
    const exchange::half_head half = w.exchange.half();
    c.is_half = half.since != fiber::time_point{};
    c.examined = static_cast<std::uint32_t>(half.examined);
    c.half_since = half.since;
    std::string(half.bytes).swap(c.half); // also empties what an attempt that failed has left
    if (c.is_half)
        return lay_to_rest(c, half.since + options.header_time);
    // What is no request does not put the end off: keys that change, records with nothing in them.
    const fiber::time_point before{fiber::duration(c.expires)};
    const bool is_new = w.exchange.has_served() || before == fiber::time_point{};
    return lay_to_rest(c, is_new ? fiber::after(options.idle_time) : before);
}

// What was not sent whole must not end as if it were: an answer without a length ends where the connection
// does.
exchange::next step(exchange& exchange, connection& c)
{
    auto next = exchange::next::reset;
    try {
        next = exchange.step();
        if (next == exchange::next::rest && c.tls && c.tls->owes_bytes()) {
            next = exchange::next::reset; // unless the client takes something in write_stall
            c.socket.wait_writable();
            next = exchange::next::again;
        }
        if (next == exchange::next::linger)
            exchange.linger();
    } catch (const std::exception&) {
        // The client has gone, or is too slow: nobody to tell.
    }
    return next;
}

// True: there is nothing more to do for it here.
bool rest_or_close(std::unique_ptr<workplace>& w) noexcept
{
    try {
        if (!rest(*w))
            return false;
        give_back(std::move(w));
    } catch (const std::bad_alloc&) {
        close(std::move(w));
    }
    return true;
}

void run(void* argument)
{
    std::unique_ptr<workplace> w(static_cast<workplace*>(argument));
    for (;;) {
        switch (step(w->exchange, *w->connection)) {
        case exchange::next::again:
            return fiber::follow("http request", fiber::task{&run, w.release()});
        case exchange::next::rest:
            if (!may_rest(*w->connection) || w->connection->socket.was_reset())
                return close(std::move(w));
            if (rest_or_close(w))
                return;
            break;
        case exchange::next::reset:
            return close(std::move(w), true);
        case exchange::next::close:
        case exchange::next::linger:
            return close(std::move(w));
        }
    }
}

// True: whoever comes next may speak HTTP. False: it rests until the client goes on, or is closed.
bool has_greeted(connection& c)
{
    c.is_half = true;
    for (;;) {
        const greeting outcome = greet(c);
        if (outcome == greeting::done)
            return true;
        if (outcome == greeting::failed || !may_rest(c) || c.socket.was_reset()) {
            c.owner->close(&c);
            return false;
        }
        if (lay_to_rest(c, c.half_since + c.service->state.options.header_time))
            return false;
    }
}

void begin(void* argument)
{
    connection& c = *static_cast<connection*>(argument);
    if (c.service->tls && !(c.tls && c.tls->is_ready()) && !has_greeted(c))
        return;
    const std::size_t buffer_size = std::max(least_buffer, c.service->state.options.header_limit);
    std::unique_ptr<workplace> w;
    try {
        w = take_workplace(buffer_size);
    } catch (const std::bad_alloc&) {
        return c.owner->close(&c);
    }
    w->connection = &c;
    const exchange::half_head half{c.half, c.examined, c.half_since};
    w->exchange.begin(stream_of(c), *c.service, c.peer, half, c.tls.get());
    std::string().swap(c.half);
    run(w.release());
}

// Called by whichever worker harvests the event.
void wake(void* argument)
{
    auto* const c = static_cast<connection*>(argument);
    {
        fiber::spin_lock guard(c->lock);
        c->state = connection::state::working;
    }
    start_connection(c);
}

} // namespace

void start_connection(connection* c) noexcept
{
    try {
        fiber::spawn("http connection", fiber::task{&begin, c});
    } catch (const std::bad_alloc&) {
        c->owner->close(c);
    }
}

} // namespace heddle::http
