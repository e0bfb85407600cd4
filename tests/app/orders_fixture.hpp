// The order routes without sockets: the router is a function, the upstream a lambda, the database a file of
// the test's own.
#pragma once

#include "orders.hpp"
#include "sample_orders.hpp"

#include <heddle/db/sqlite.hpp>
#include <heddle/testing/runtime.hpp>
#include <heddle/testing/temporary_directory.hpp>

#include <cstdint>
#include <string>

struct orders_fixture
{
    heddle::testing::runtime runtime; // makes this test's thread the only worker
    heddle::testing::temporary_directory directory;
    heddle::db::database database{{
        .driver = heddle::db::sqlite({.path = directory.path("orders.db")}),
        .pool = {.size = 4},
        .lanes = {{.name = "read", .running = 2}, {.name = "write", .waiting = 1}, {.name = "report"}},
    }};
    heddle::http::handler pricing = [](const heddle::http::request&) {
        return heddle::http::reply(orders::quote{250, 3});
    };
    orders::routes routes{database, [this](const heddle::http::request& req) { return pricing(req); }};
    heddle::http::router app;

    orders_fixture()
    {
        orders::create_tables(database.lane("write"));
        orders::fill(database.lane("write"), {.customers = 10, .orders = 0});
        routes.mount(app);
    }

    std::int64_t count(const char* table)
    {
        return database.lane("read").one<std::int64_t>("SELECT count(*) FROM " + std::string(table));
    }
};
