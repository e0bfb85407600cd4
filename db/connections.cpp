// Hands a database's driver to its pools.
#include "connections.hpp"

#include <heddle/base/error.hpp>

#include <algorithm>
#include <utility>

namespace heddle::db {

namespace {

fiber::pool_functions<session> functions_for(const std::shared_ptr<db::driver>& driver, access access)
{
    return {
        .open = [driver, access] { return driver->open(access); },
        .close = [](session& s) { s.close(); },
        .check =
            [](session& s) {
                s.ping();
                return true;
            },
        .interrupt = [](session& s) { s.interrupt(); },
    };
}

fiber::pool_options for_tickets(fiber::pool_options options, std::int64_t tickets)
{
    options.name += " tickets";
    options.size = std::min(tickets, fiber::max_pool_size); // no connection: the others wait for a moment
    options.min_idle = 0;
    options.opening_at_once = options.size; // which costs nothing
    return options;
}

} // namespace

connections::connections(std::shared_ptr<db::driver> driver, const fiber::pool_options& options,
                         std::int64_t tickets)
    : driver_(std::move(driver)), pool_(options, functions_for(driver_, access::read))
{
    if (driver_->writes_by_ticket())
        tickets_.emplace(for_tickets(options, tickets), functions_for(driver_, access::write));
}

void connections::require_none_held() const
{
    if (fiber::is_held_here(this))
        throw heddle::error(kind::internal,
                            "this fiber, or one that waits for it, has a connection of " + driver_->name() +
                                " already: use the transaction that is open, or end it first");
}

void connections::suspend() noexcept
{
    pool_.suspend();
    if (tickets_)
        tickets_->suspend();
}

void connections::resume() noexcept
{
    if (tickets_)
        tickets_->resume();
    pool_.resume();
}

void connections::clear() noexcept
{
    pool_.clear();
    if (tickets_)
        tickets_->clear();
}

void connections::close(fiber::duration grace)
{
    if (tickets_)
        tickets_->close(grace);
    pool_.close(grace);
}

} // namespace heddle::db
