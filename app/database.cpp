// Fits the settings, which are the same for both, to the one that was chosen.
#include "database.hpp"

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
    options.statement_ceiling = with.sqlite.statement_ceiling;
    options.statements = with.sqlite.statements;
    return db::postgres(std::move(options));
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
