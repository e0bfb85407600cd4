// Few routes, written as a user would write them: those that ask no database, and one over SQLite.
#include "bench.hpp"

#include "bench_postgres.hpp"
#include "bench_world.hpp"

#include <heddle/base/error.hpp>
#include <heddle/base/log.hpp>
#include <heddle/db/database.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/http/exact.hpp>
#include <heddle/http/message.hpp>
#include <heddle/http/router.hpp>
#include <heddle/http/server.hpp>

#include <boost/describe.hpp>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>

namespace app {

namespace db = heddle::db;
namespace http = heddle::http;

namespace {

struct message
{
    std::string message;
};
BOOST_DESCRIBE_STRUCT(message, (), (message))

std::string variable(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

void mount_plain(http::router& router)
{
    router.get("/plaintext", [](const http::request&) {
        return http::response(http::status::ok, "text/plain", "Hello, World!");
    });
    router.get("/json", [](const http::request&) { return message{"Hello, World!"}; });
}

void mount_sqlite(http::router& router, db::lane& reads)
{
    router.get("/db-sqlite", [&reads](const http::request&) {
        return reads.one<world>("SELECT id, randomNumber FROM World WHERE id = $1", random_number());
    });
}

} // namespace

// Not inline: a fiber may have changed its thread since the last call.
[[gnu::noinline]] std::int32_t random_number()
{
    thread_local std::minstd_rand generator{std::random_device{}()};
    return std::uniform_int_distribution<std::int32_t>(1, 10'000)(generator);
}

int bench()
{
    const auto port = http::exact<std::uint16_t>(variable("BENCH_PORT"));
    if (!port)
        throw heddle::config_error("BENCH_PORT must be a port's number");
    const auto file = variable("BENCH_SQLITE");

    const heddle::log::writer log({.least = heddle::log::level::warn});
    return heddle::fiber::run({.workers = 2}, [&] {
        http::router router;
        mount_plain(router);
        std::optional<db::database> sqlite;
        if (!file.empty()) {
            sqlite.emplace(db::database_options{
                .driver = db::sqlite({.path = file}),
                .pool = {.size = 8},
                .lanes = {{.name = "read", .running = 8, .waiting = 256}},
            });
            mount_sqlite(router, sqlite->lane("read"));
        }
        std::optional<db::database> postgres;
        if (!variable("PGHOST").empty()) {
            postgres.emplace(bench_postgres());
            mount_postgres(router, *postgres);
        }
        http::server server({.listen = {"127.0.0.1", *port}}, router);
        server.serve();
    });
}

} // namespace app
