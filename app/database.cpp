// Fits the settings, which are the same for both, to the one that was chosen.
#include "database.hpp"

#include "capacity.hpp"
#include "orders.hpp"
#include "sample_orders.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace app {

namespace db = heddle::db;

std::shared_ptr<db::driver> driver_of(const settings& with)
{
    if (with.postgres.connection.empty())
        return db::sqlite(with.sqlite);
    auto options = with.postgres;
    options.lock_budget = with.sqlite.lock_budget;
    options.statements = with.sqlite.statements;
    return db::postgres(std::move(options));
}

// Over a connection of its own: what requests may wait for one is too little for a server that starts as
// well.
void prepare(const std::shared_ptr<db::driver>& driver, const settings& with)
{
    db::database database({.driver = driver,
                           .pool = {.name = "start",
                                    .size = 1,
                                    .acquire_budget = with.start_budget,
                                    .connect_budget = with.start_budget},
                           .lanes = {{.name = "start", .running = 1}}});
    auto& lane = database.lane("start");
    require_capacity(lane, with);
    orders::create_tables(lane);
    if (orders::fill(lane, {.orders = with.sample_orders}))
        heddle::log::info("generated a new database",
                          {{"database", driver->name()}, {"orders", std::to_string(with.sample_orders)}});
    database.close(with.pool.close_budget);
}

db::database_options database_options(const settings& with, std::shared_ptr<db::driver> driver)
{
    auto write = with.write;
    if (!driver
             ->writes_by_ticket()) // more would wait for connections, behind everybody, and not in their lane
        write.running = std::min(write.running, with.pool.size);
    return {.driver = std::move(driver), .pool = with.pool, .lanes = {with.read, write, with.report}};
}

} // namespace app
