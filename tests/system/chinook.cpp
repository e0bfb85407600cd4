// A second application: its own routes over a database that nobody here made. Usage: chinook DATABASE PORT,
// where DATABASE is a SQLite file or, as psql takes it, a PostgreSQL server.
#include "chinook.hpp"

#include <heddle/db/postgres.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/http/exact.hpp>
#include <heddle/http/server.hpp>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

namespace chinook {

page page_of(const http::request& req)
{
    constexpr std::int64_t most = 100;
    const page wanted = {req.query<std::int64_t>("after").value_or(0),
                         req.query<std::int64_t>("limit").value_or(20)};
    if (wanted.limit < 1 || wanted.limit > most)
        throw http::rejected(
            http::problem::invalid("/query/limit", "must be from 1 to " + std::to_string(most)));
    return wanted;
}

} // namespace chinook

static std::shared_ptr<heddle::db::driver> driver_of(const std::string& database)
{
    if (heddle::db::without_secrets(database))
        return heddle::db::postgres({.connection = database});
    return heddle::db::sqlite({.path = database});
}

int main(int argc, char** argv)
{
    const auto port = argc == 3 ? heddle::http::exact<std::uint16_t>(argv[2]) : std::nullopt;
    if (!port) {
        std::cerr << "usage: chinook DATABASE PORT\n";
        return EXIT_FAILURE;
    }
    return heddle::fiber::run({.workers = 2}, [&] {
        heddle::db::database database{{
            .driver = driver_of(argv[1]),
            .pool = {.size = 4},
            .lanes = {{.name = "read", .running = 4, .waiting = 64}},
        }};
        auto& reads = database.lane("read");
        heddle::http::router router;
        chinook::mount_customers(router, reads);
        chinook::mount_invoices(router, reads);
        chinook::mount_tracks(router, reads);
        chinook::mount_sales(router, reads);
        heddle::http::server server{{.listen = {"127.0.0.1", *port}}, router};
        server.serve();
    });
}
