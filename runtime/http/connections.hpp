// All connections of a server: their memory, how many there are, and the end of those that nobody works on.
#pragma once

#include "fiber/park.hpp"
#include "http/connection.hpp"

#include <memory>
#include <vector>

namespace heddle::http {

class connections
{
public:
    explicit connections(server_state& state) noexcept : state_(state) {}
    connections(const connections&) = delete;
    connections& operator=(const connections&) = delete;

    // Takes a new one in, and starts its fiber.
    void take(net::socket&& accepted, http::service& service);

    // Closes it. By its owner: its fiber, or whoever took it from the idle state.
    void close(connection* c, bool with_reset = false) noexcept;

    // Closes the idle ones whose time is over. Returns when the next one's will be.
    fiber::time_point close_expired() noexcept;
    void close_idle() noexcept;

    // Ends both directions of all that are left: their requests' scopes are cancelled, and what waits for the
    // client ends.
    void break_all() noexcept;

    std::int64_t open() const noexcept { return open_.load(std::memory_order_relaxed); }

    // Parks until none is left, for at most this long. Not interrupted by the scope's end. False: some are.
    bool wait_until_none(fiber::duration limit);

private:
    static constexpr std::size_t slab_size = 256;
    using slab = std::unique_ptr<connection[]>;

    connection* make();
    template <class F>
    void for_each(F&& f) noexcept;
    bool take_idle(connection& c, fiber::time_point now, bool any) noexcept;
    void close_for_time(connection& c) noexcept;

    server_state& state_;
    fiber::spin lock_;        // guards what follows; never held together with a connection's
    std::vector<slab> slabs_; // a record stays where it is for ever, so a late look at it finds another state
    connection* free_ = nullptr;
    std::atomic<std::int64_t> open_ = 0;    // changed under the lock
    std::atomic<std::int64_t> clients_ = 0; // of these: at a listener where max_connections counts
    fiber::record* waiting_ = nullptr;
};

} // namespace heddle::http
