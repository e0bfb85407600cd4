// A server whose one lane runs 4 bodies of 50 ms and lets 8 wait: 80 a second. Usage: app_overload PORT FILE
#include <heddle/db/database.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/http/exact.hpp>
#include <heddle/http/message.hpp>
#include <heddle/http/router.hpp>
#include <heddle/http/server.hpp>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>

namespace db = heddle::db;
namespace http = heddle::http;

using namespace std::chrono_literals;

int main(int argc, char** argv)
{
    const auto port = argc == 3 ? http::exact<std::uint16_t>(argv[1]) : std::nullopt;
    if (!port) {
        std::cerr << "usage: app_overload PORT FILE\n";
        return EXIT_FAILURE;
    }
    return heddle::fiber::run({.workers = 2}, [&] {
        db::database database{{
            .driver = db::sqlite({.path = argv[2]}),
            .pool = {.size = 4},
            .lanes = {{.name = "slow", .running = 4, .waiting = 8, .queue_wait = 1s}},
        }};
        auto& slow = database.lane("slow");
        http::router router;
        router.get("/ping", [](const http::request&) { return "pong"; });
        router.get("/slow", [&slow](const http::request&) {
            return slow.read([](db::transaction& tx) {
                heddle::fiber::sleep_for(50ms);
                return tx.one<std::string>("SELECT 'done'");
            });
        });
        http::server server{{.listen = {"127.0.0.1", *port}}, router};
        server.serve();
    });
}
