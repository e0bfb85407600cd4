// Builds the parts from the settings and hands them over,
// bottom-up: log, database, routes, listeners, metrics.
#include "serve.hpp"

#include "database.hpp"
#include "demonstration.hpp"
#include "descriptors.hpp"
#include "expired_keys.hpp"
#include "families.hpp"
#include "listeners.hpp"
#include "operations.hpp"
#include "orders.hpp"
#include "pricing.hpp"
#include "prober.hpp"
#include "starter.hpp"

#include <heddle/fiber/task_group.hpp>
#include <heddle/http/client.hpp>
#include <heddle/http/middleware.hpp>
#include <heddle/net/service_manager.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace app {

namespace db = heddle::db;
namespace fiber = heddle::fiber;
namespace http = heddle::http;
namespace log = heddle::log;
namespace net = heddle::net;

namespace {

// What the process was started with, beside its settings.
struct surroundings
{
    std::vector<net::inherited_socket> sockets = net::inherited_sockets();
    net::service_manager manager = net::service_manager::from_environment();
};

http::server_options server_options(const settings& with, const surroundings& around)
{
    auto options = with.http;
    options.interrupt_budget = with.runtime.interrupt_budget;
    options.listen = listeners_of(with, around.sockets);
    options.on_drain = [&around] { around.manager.tell("STOPPING=1\nSTATUS=finishing what was accepted"); };
    return options;
}

std::vector<http::middleware> around(const settings& with)
{
    if (with.access_log)
        return {http::request_id(), http::access_log({.as = with.log.format == log::format::json
                                                                ? http::access_log_options::shape::fields
                                                                : http::access_log_options::shape::line})};
    return {http::request_id()};
}

void say_where(const http::server& server)
{
    for (const auto& [at, kind, is_inherited] : server.listening())
        log::info(kind == http::listener_kind::clients ? "listening" : "listening for operations",
                  {{"at", net::to_string(at)}, {"socket", is_inherited ? "inherited" : "own"}});
}

// Until `ticks` are stopped: that fibers run is what the service manager wants to know.
void keep_the_watchdog(const net::service_manager& manager, ticker& ticks)
{
    if (manager.watchdog().count() > 0)
        while (ticks.wait(manager.watchdog() / 2))
            manager.tell("WATCHDOG=1");
}

// What runs beside the server ends when it has.
void run_all(http::server& server, starter& starter, prober& prober, db::lane& writes,
             const net::service_manager& manager)
{
    manager.tell("READY=1\nSTATUS=waiting for the database"); // it listens: /readyz has the rest
    ticker ticks;
    fiber::task_group::run([&](fiber::task_group& tasks) {
        tasks.start([&] { keep_the_watchdog(manager, ticks); });
        tasks.start([&] {
            if (!starter.run())
                return;
            manager.tell("STATUS=ready");
            tasks.start([&] { delete_expired_keys(writes, ticks); });
            prober.run(ticks);
        });
        server.serve();
        starter.stop();
        ticks.stop();
    });
}

bool has_operations(const http::server_options& options)
{
    const auto& doors = options.listen.all;
    return std::any_of(doors.begin(), doors.end(),
                       [](const auto& each) { return each.kind == http::listener_kind::operations; });
}

void serve_with(db::database& database, starter& starter, prober& prober, const settings& with,
                const surroundings& surroundings)
{
    std::optional<http::client> pricing;
    if (!with.pricing.origin.empty())
        pricing.emplace(with.pricing);
    const orders::routes routes(database,
                                pricing ? http::handler(std::ref(*pricing)) : orders::built_in_pricing());
    heddle::metrics_page page;
    const http::server* serving = nullptr; // set below, before the first request
    const auto started = [&]() -> std::string_view {
        const auto* const reason = starter.waits_for();
        return reason ? reason : "";
    };
    const auto ready = [&]() -> std::string_view {
        if (serving->is_draining())
            return "the server is about to stop";
        if (const auto reason = started(); !reason.empty())
            return reason;
        return prober.is_ready() ? "" : "the database does not answer";
    };

    const auto options = server_options(with, surroundings);
    http::router application;
    routes.mount(application, starter.only_when_prepared());
    demonstration::mount(application);
    http::router operations;
    operations::mount(has_operations(options) ? operations : application, page, {started, ready});
    operations::mount_debug(operations);

    http::server server(options, http::chain(around(with), application), operations);
    serving = &server;
    add_families(page, server);
    add_families(page, database);
    if (pricing)
        add_families(page, *pricing, "pricing");
    add_families_of_the_process(page);
    say_where(server);
    run_all(server, starter, prober, database.lane("write"), surroundings.manager);
}

} // namespace

int serve(const settings& with)
{
    const surroundings surroundings; // before there are threads
    const log::writer writer(with.log);
    constexpr std::int64_t others = 64; // the database's files, listeners, the log
    allow_descriptors(with.http.max_connections + with.pool.size + with.pricing.max_connections + others);
    return heddle::fiber::run(with.runtime, [&] {
        const auto driver = driver_of(with);
        starter starter(driver, with);
        if (with.start == start_policy::fail)
            starter.prepare();
        db::database database(database_options(with, driver));
        prober prober(
            {.driver = driver, .question = "SELECT count(*) FROM (SELECT 1 FROM orders LIMIT 1) AS found"});
        serve_with(database, starter, prober, with, surroundings);
        database.close(with.runtime.interrupt_budget);
    });
}

} // namespace app
