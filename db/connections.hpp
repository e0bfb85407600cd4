// The pooled sessions of one database, which all its lanes share.
#pragma once

#include <heddle/db/driver.hpp>
#include <heddle/fiber/holding.hpp>
#include <heddle/fiber/pool.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace heddle::db {

class connections
{
public:
    // `tickets`: how many may ask for the turn to write at once, where writing goes by ticket.
    connections(std::shared_ptr<db::driver> driver, const fiber::pool_options& options, std::int64_t tickets);

    // Leases a session. Throws what pool::acquire throws.
    fiber::lease<session> acquire(access access) { return pool_for(access).acquire(); }

    // Throws: error if the calling fiber, or one that waits for it, has a connection: two at once can lock
    // each other out.
    void require_none_held() const;
    // Notes on the calling fiber that it has one.
    fiber::holding hold() const { return fiber::holding{this, driver_->name().c_str()}; }

    const db::driver& driver() const noexcept { return *driver_; }
    const fiber::pool<session>& pool() const noexcept { return pool_; }
    void close(fiber::duration grace);
    void suspend() noexcept;
    void resume() noexcept;
    void clear() noexcept;
    void resize(std::int64_t size) { pool_.resize(size); }

private:
    fiber::pool<session>& pool_for(access access) noexcept
    {
        return access == access::write && tickets_ ? *tickets_ : pool_;
    }

    std::shared_ptr<db::driver> driver_;
    fiber::pool<session> pool_;
    std::optional<fiber::pool<session>> tickets_;
};

} // namespace heddle::db
