#include "http/connections.hpp"

#include "fiber/reactor.hpp"
#include "http/connection_fiber.hpp"
#include "http/date.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace heddle::http {

namespace {

constexpr std::string_view busy_status = "HTTP/1.1 503 Service Unavailable\r\n";
constexpr std::string_view busy_answer = "Connection: close\r\n"
                                         "Retry-After: 1\r\n"
                                         "Content-Length: 0\r\n\r\n";
constexpr std::string_view late_status = "HTTP/1.1 408 Request Timeout\r\n";
constexpr std::string_view late_answer = "Connection: close\r\n"
                                         "Content-Length: 0\r\n\r\n";

// What the client has sent so far is read, as a close over unread bytes resets the connection, and with it
// the words.
void say_last_words(net::stream& stream, std::string_view status, std::string_view rest) noexcept
{
    try {
        std::string words(status);
        words += "Server: heddle\r\n";
        append_date(words);
        words += rest;
        stream.try_write_some(words);
        stream.shutdown_write();
        std::array<char, 4096> dropped;
        for (int i = 0; i < 16 && stream.try_read_some(dropped) > 0; ++i) {
        }
    } catch (const std::exception&) {
        // Broken already: nobody to tell.
    }
}

} // namespace

void connections::take(net::socket&& accepted, http::service& service)
{
    if (service.is_limited && clients_.load(std::memory_order_relaxed) >= state_.options.max_connections) {
        state_.counters.turned_away.add();
        if (!service.tls) // a client that is greeted in TLS first costs more than it is worth just now
            say_last_words(accepted, busy_status, busy_answer);
        return;
    }
    std::string peer = accepted.peer();
    connection* const c = make();
    state_.counters.accepted.add();
    c->socket = std::move(accepted);
    c->socket.set_write_stall(state_.options.write_stall);
    c->peer = std::move(peer);
    c->service = &service;
    c->expires = 0;
    if (service.is_limited)
        clients_.fetch_add(1, std::memory_order_relaxed);
    c->half_since = service.tls ? fiber::now() : fiber::time_point{};
    start_connection(c);
}

connection* connections::make()
{
    fiber::spin_lock guard(lock_);
    if (!free_) {
        slabs_.push_back(std::make_unique<connection[]>(slab_size));
        for (std::size_t i = slab_size; i-- > 0;)
            slabs_.back()[i].next_free = std::exchange(free_, &slabs_.back()[i]);
    }
    connection* const c = std::exchange(free_, free_->next_free);
    open_.fetch_add(1, std::memory_order_relaxed);
    c->owner = this;
    c->state = connection::state::working;
    return c;
}

// The last thing that happens to the connection: the server may go as soon as none is left.
void connections::close(connection* c, bool with_reset) noexcept
{
    if (c->tls && !with_reset)
        c->tls->shutdown_write(); // so that the client knows this for the end, and not for a cut
    c->tls.reset();
    if (c->service->is_limited)
        clients_.fetch_sub(1, std::memory_order_relaxed);
    net::socket closing;
    {
        fiber::spin_lock guard(c->lock);
        c->state = connection::state::free;
        closing = std::move(c->socket);
    }
    std::string().swap(c->half);
    if (with_reset)
        closing.close_with_reset();
    else
        closing.close();
    fiber::spin_lock guard(lock_);
    c->next_free = std::exchange(free_, c);
    if (open_.fetch_sub(1, std::memory_order_relaxed) == 1 && waiting_)
        fiber::unpark(std::exchange(waiting_, nullptr));
}

template <class F>
void connections::for_each(F&& f) noexcept
{
    for (std::size_t i = 0;; ++i) {
        connection* slab = nullptr;
        {
            fiber::spin_lock guard(lock_);
            if (i == slabs_.size())
                return;
            slab = slabs_[i].get();
        }
        std::for_each(slab, slab + slab_size, f);
    }
}

// Takes `c` out of the idle state, so that it is the caller's. False: it is not idle (any more), or not yet
// to be closed.
bool connections::take_idle(connection& c, fiber::time_point now, bool any) noexcept
{
    // The hint is not enough where all must end: one that is about to rest holds the lock, and has looked at
    // may_rest.
    if (!any && c.state.load(std::memory_order_relaxed) != connection::state::idle)
        return false;
    fiber::spin_lock guard(c.lock);
    if (c.state != connection::state::idle || (!any && c.expires > now.time_since_epoch().count()))
        return false;
    if (!fiber::cancel_when_readable(c.socket.descriptor()))
        return false; // its fiber is about to start
    c.state = connection::state::working;
    return true;
}

fiber::time_point connections::close_expired() noexcept
{
    const fiber::time_point now = fiber::now();
    auto next = fiber::never.time_since_epoch().count();
    for_each([&](connection& c) {
        if (c.state.load(std::memory_order_relaxed) != connection::state::idle)
            return;
        const auto expires = c.expires.load(std::memory_order_relaxed);
        if (expires > now.time_since_epoch().count())
            next = std::min(next, expires);
        else if (take_idle(c, now, false))
            close_for_time(c);
    });
    return fiber::time_point(fiber::duration(next));
}

void connections::close_for_time(connection& c) noexcept
{
    if (c.is_half && (!c.tls || c.tls->is_ready()))
        say_last_words(stream_of(c), late_status, late_answer);
    (c.is_half ? state_.counters.timed_out : state_.counters.idled_out).add();
    close(&c);
}

void connections::close_idle() noexcept
{
    for_each([&](connection& c) {
        if (!take_idle(c, {}, true))
            return;
        if (c.socket.has_come())
            start_connection(&c); // a request whose event nobody has seen yet is answered, not reset
        else
            close(&c);
    });
}

void connections::break_all() noexcept
{
    for_each([](connection& c) {
        fiber::spin_lock guard(c.lock);
        if (c.state != connection::state::free && c.socket.is_open())
            c.socket.shutdown_both();
    });
}

bool connections::wait_until_none(fiber::duration limit)
{
    const fiber::time_point until = fiber::after(limit);
    fiber::spin_lock guard(lock_);
    while (open_.load(std::memory_order_relaxed) > 0) {
        waiting_ = fiber::self();
        const fiber::wake outcome =
            fiber::park(guard, {.reason = "connections", .until = until, .interruptible = false});
        guard = fiber::spin_lock(lock_); // also: the last one's fiber has left the lock before it goes away
        waiting_ = nullptr;
        if (outcome == fiber::wake::timed_out)
            break;
    }
    return open_.load(std::memory_order_relaxed) == 0;
}

} // namespace heddle::http
