// Asks the server for its limits and holds the settings against them.
#include "capacity.hpp"

#include "database.hpp"

#include <heddle/base/error.hpp>
#include <heddle/db/capacity.hpp>

#include <cstdio>
#include <cstdlib>

namespace app {

namespace db = heddle::db;

namespace {

db::connection_demand demand_of(const settings& with)
{
    auto demand = with.connections.demand;
    demand.pool_size = with.pool.size;
    return demand;
}

db::database_options options_for_one_question(const settings& with)
{
    return {.driver = driver_of(with),
            .pool = {.name = "capacity",
                     .size = 1,
                     .acquire_budget = with.start_budget,
                     .connect_budget = with.start_budget},
            .lanes = {{.name = "capacity"}}};
}

void print(const std::string& line)
{
    std::fwrite((line + '\n').c_str(), 1, line.size() + 1, stdout);
}

// A pooler has its own limits, and PostgreSQL only sees the pooler.
const char* nothing_to_count(const settings& with)
{
    if (with.postgres.connection.empty())
        return "The database is a SQLite file: it has no limit of connections.";
    if (with.postgres.transaction_pooling)
        return "The database is reached through a pooler: its limits count, and they are not known here.";
    return nullptr;
}

} // namespace

int capacity(const settings& with)
{
    if (const char* reason = nothing_to_count(with)) {
        print(reason);
        return EXIT_SUCCESS;
    }
    const heddle::log::writer writer(with.log);
    db::capacity found;
    heddle::fiber::run({.workers = 1}, [&] {
        db::database database(options_for_one_question(with));
        const auto limits = db::read_connection_limits(database.lane("capacity"));
        database.close(1s);
        found = db::compare(demand_of(with), limits);
    });
    for (const auto& line : found.lines)
        print(line);
    print(found.is_enough ? "There is room." : "There is NO room: " + found.shortage + ".");
    return found.is_enough || !with.connections.must_suffice ? EXIT_SUCCESS : EXIT_FAILURE;
}

void require_capacity(db::lane& reads, const settings& with)
{
    if (nothing_to_count(with))
        return;
    const auto found = db::compare(demand_of(with), db::read_connection_limits(reads));
    if (found.is_enough)
        return;
    if (with.connections.must_suffice)
        throw heddle::config_error("PostgreSQL has no room for all connections: " + found.shortage +
                                   "; see heddle capacity");
    heddle::log::warn("PostgreSQL has no room for all connections",
                      {{"limits", found.shortage}, {"see", "heddle capacity"}});
}

} // namespace app
