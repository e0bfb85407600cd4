// Builds the parts from the settings and hands them over,
// bottom-up: log, database, routes, listeners, metrics.
#include "serve.hpp"

#include "demonstration.hpp"
#include "families.hpp"
#include "operations.hpp"
#include "orders.hpp"
#include "pricing.hpp"
#include "sample_orders.hpp"

#include <heddle/http/middleware.hpp>

#include <string>
#include <utility>
#include <vector>

namespace app {

namespace db = heddle::db;
namespace http = heddle::http;
namespace log = heddle::log;

namespace {

db::database_options database_options(const settings& with)
{
    return {
        .driver = db::sqlite(with.sqlite), .pool = with.pool, .lanes = {with.read, with.write, with.report}};
}

http::server_options server_options(const settings& with)
{
    auto options = with.http;
    options.interrupt_budget = with.runtime.interrupt_budget;
    if (with.operations.port != 0)
        options.operations = with.operations;
    return options;
}

void prepare(db::database& database, const settings& with)
{
    auto& writes = database.lane("write");
    orders::create_tables(writes);
    if (orders::fill(writes, {.orders = with.sample_orders}))
        log::info("generated a new database",
                  {{"path", with.sqlite.path}, {"orders", std::to_string(with.sample_orders)}});
}

std::vector<http::middleware> around(const settings& with)
{
    if (with.access_log)
        return {http::request_id(), http::access_log()};
    return {http::request_id()};
}

void say_where(const http::server& server, const settings& with)
{
    const auto& h = with.http.listen.host;
    log::info("listening", {{"at", heddle::net::to_string({h, server.port()})}});
    if (server.operations_port() != 0)
        log::info("listening for operations",
                  {{"at", heddle::net::to_string({with.operations.host, server.operations_port()})}});
}

void serve_with(db::database& database, const settings& with)
{
    const orders::routes routes(database, orders::built_in_pricing());
    heddle::metrics_page page;
    const http::server* serving = nullptr; // set below, before the first request
    const auto is_ready = [&serving] { return !serving->is_draining(); };

    http::router application;
    routes.mount(application);
    demonstration::mount(application);
    http::router operations;
    operations::mount(with.operations.port == 0 ? application : operations, page, is_ready);
    operations::mount_debug(operations);

    http::server server(server_options(with), http::chain(around(with), application), operations);
    serving = &server;
    add_families(page, server);
    add_families(page, database);
    add_families_of_the_process(page);
    say_where(server, with);
    server.serve();
}

} // namespace

int serve(const settings& with)
{
    const log::writer writer(with.log);
    return heddle::fiber::run(with.runtime, [&] {
        db::database database(database_options(with));
        prepare(database, with);
        serve_with(database, with);
        database.close(with.runtime.interrupt_budget);
    });
}

} // namespace app
