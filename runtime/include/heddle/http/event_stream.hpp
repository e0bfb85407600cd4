// Server-sent events: an answer that goes on for as long as the client listens.
// Source: WHATWG HTML, section 9.2.
#pragma once

#include <heddle/fiber/condition_variable.hpp>
#include <heddle/fiber/mutex.hpp>
#include <heddle/http/message.hpp>

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::http {

// One event, in UTF-8.
struct event
{
    std::string_view event = {}; // its type; empty: "message". No line breaks.
    std::string_view data = {};  // may have line breaks; empty: the client keeps the id and tells nobody
    std::string_view id = {}; // what the client says when it comes back; empty: none. No line breaks, no NUL.
    std::optional<std::chrono::milliseconds> retry = {}; // how long the client waits before it comes back
};

// For one fiber, the producer's. All of it parks while the client does not read, and throws: cancelled, when
// the client has gone or the server is about to stop; then let it pass.
class event_sink
{
public:
    event_sink(sink& out, std::string last_event_id, fiber::duration heartbeat) noexcept
        : out_(out), last_event_id_(std::move(last_event_id)), heartbeat_(heartbeat)
    {
    }

    // Throws: error, when the type or the id has a line break or NUL: it would be another field, or event.
    void send(const event& e);

    // What the client has seen already, if it comes back: the id of the last event it was sent.
    std::string_view last_event_id() const noexcept { return last_event_id_; }

    // These wait, and tell the client now and then that we live: proxies end what is silent, and only who
    // writes finds out that a client's machine has vanished. The head goes out with the first of them, too.
    void sleep_for(fiber::duration time);

    // Until it holds. Holds the lock whenever it looks, and not while it writes.
    template <class Predicate>
    void wait(std::unique_lock<fiber::mutex>& lock, fiber::condition_variable& changed, Predicate holds)
    {
        while (!holds()) {
            if (changed.wait_until(lock, next_heartbeat_, holds))
                return;
            lock.unlock();
            beat();
            lock.lock();
        }
    }

private:
    void beat();
    void write(std::string_view bytes);

    sink& out_;
    std::string last_event_id_;
    fiber::duration heartbeat_;
    fiber::time_point next_heartbeat_{}; // at once, if there is something to wait for first
};

struct event_options
{
    fiber::duration heartbeat = std::chrono::seconds(15); // the longest silence
};

// A stream of events. It is not bound by request_budget, but by write_stall, and ends when the server drains;
// it counts as one of max_requests. What `producer` throws before it sends anything is answered as usual.
response events(const request& req, std::function<void(event_sink&)> producer,
                const event_options& options = {});

} // namespace heddle::http
