// Builds the parts from the settings and hands them over,
// bottom-up: log, database, routes, listeners, metrics.
#include "serve.hpp"

#include "database.hpp"
#include "demonstration.hpp"
#include "descriptors.hpp"
#include "expired_keys.hpp"
#include "families.hpp"
#include "operations.hpp"
#include "orders.hpp"
#include "pricing.hpp"
#include "prober.hpp"
#include "starter.hpp"

#include <heddle/fiber/task_group.hpp>
#include <heddle/http/middleware.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace app {

namespace db = heddle::db;
namespace fiber = heddle::fiber;
namespace http = heddle::http;
namespace log = heddle::log;

namespace {

http::server_options server_options(const settings& with)
{
    auto options = with.http;
    options.interrupt_budget = with.runtime.interrupt_budget;
    if (with.operations.port != 0)
        options.operations = with.operations;
    return options;
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

// What runs beside the server ends when it has.
void run_all(http::server& server, starter& starter, prober& prober, db::lane& writes)
{
    ticker ticks;
    fiber::task_group::run([&](fiber::task_group& tasks) {
        tasks.start([&] {
            if (!starter.run())
                return;
            tasks.start([&] { delete_expired_keys(writes, ticks); });
            prober.run(ticks);
        });
        server.serve();
        starter.stop();
        ticks.stop();
    });
}

void serve_with(db::database& database, starter& starter, prober& prober, const settings& with)
{
    const orders::routes routes(database, orders::built_in_pricing());
    heddle::metrics_page page;
    const http::server* serving = nullptr; // set below, before the first request
    const auto why_not_ready = [&]() -> std::string_view {
        if (serving->is_draining())
            return "the server is about to stop";
        if (const auto* const reason = starter.waits_for())
            return reason;
        return prober.is_ready() ? "" : "the database does not answer";
    };

    http::router application;
    routes.mount(application, starter.only_when_prepared());
    demonstration::mount(application);
    http::router operations;
    operations::mount(with.operations.port == 0 ? application : operations, page, why_not_ready);
    operations::mount_debug(operations);

    http::server server(server_options(with), http::chain(around(with), application), operations);
    serving = &server;
    add_families(page, server);
    add_families(page, database);
    add_families_of_the_process(page);
    say_where(server, with);
    run_all(server, starter, prober, database.lane("write"));
}

} // namespace

int serve(const settings& with)
{
    const log::writer writer(with.log);
    constexpr std::int64_t others = 64; // the database's files, listeners, the log
    allow_descriptors(with.http.max_connections + with.pool.size + others);
    return heddle::fiber::run(with.runtime, [&] {
        const auto driver = driver_of(with);
        starter starter(driver, with);
        if (with.start == start_policy::fail)
            starter.prepare();
        db::database database(database_options(with, driver));
        prober prober(
            {.driver = driver, .question = "SELECT count(*) FROM (SELECT 1 FROM orders LIMIT 1) AS found"});
        serve_with(database, starter, prober, with);
        database.close(with.runtime.interrupt_budget);
    });
}

} // namespace app
