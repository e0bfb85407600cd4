// The order routes without sockets: the router is a function, the upstream a lambda, the database the test's
// own.
#pragma once

#include "orders.hpp"
#include "sample_orders.hpp"

#include <heddle/fiber/task_group.hpp>
#include <heddle/testing/runtime.hpp>
#include <heddle/testing/temporary_directory.hpp>

#include "empty_database.hpp"

#include <cstdint>
#include <memory>
#include <string>

struct database_fixture
{
    heddle::testing::runtime runtime; // makes this test's thread the only worker
    heddle::testing::temporary_directory directory;
    std::shared_ptr<heddle::db::driver> driver = empty_database(directory);
    heddle::db::database database{{
        .driver = driver,
        .pool = {.size = 4},
        .lanes = {{.name = "read", .running = 2}, {.name = "write", .waiting = 1}, {.name = "report"}},
    }};

    std::int64_t count(const char* table)
    {
        return database.lane("read").one<std::int64_t>("SELECT count(*) FROM " + std::string(table));
    }
};

struct orders_fixture : database_fixture
{
    heddle::http::handler pricing = [](const heddle::http::request&) {
        return heddle::http::reply(orders::quote{250, 3});
    };
    orders::routes routes{database, [this](const heddle::http::request& req) { return pricing(req); }};
    heddle::http::router app;

    orders_fixture()
    {
        orders::create_tables(driver);
        orders::fill(database.lane("write"), {.customers = 10, .orders = 0});
        routes.mount(app);
    }

    // What is answered when so much time passes meanwhile.
    heddle::http::response answer_after(heddle::fiber::duration time, const heddle::http::request& req)
    {
        heddle::http::response reply;
        heddle::fiber::task_group::run([&](heddle::fiber::task_group& tasks) {
            tasks.start([&] { reply = app(req); });
            runtime.run_ready();
            runtime.advance(time);
        });
        return reply;
    }
};
