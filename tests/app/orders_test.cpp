// The order routes without sockets: the router is a function,
// the upstream a lambda, the database a file of this test's.
#include "orders.hpp"
#include "sample_orders.hpp"

#include <heddle/db/sqlite.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/testing/hold.hpp>
#include <heddle/testing/runtime.hpp>
#include <heddle/testing/temporary_directory.hpp>

#define BOOST_TEST_MODULE orders
#include <boost/test/unit_test.hpp>

#include <string>

namespace db = heddle::db;
namespace http = heddle::http;
namespace testing = heddle::testing;

using namespace std::chrono_literals;

namespace {

constexpr const char* two_teas = R"({"customer_id": 7, "sku": "tea", "quantity": 2})";

struct orders_fixture
{
    testing::runtime runtime; // makes this test's thread the only worker
    testing::temporary_directory directory;
    db::database database{{
        .driver = db::sqlite({.path = directory.path("orders.db")}),
        .pool = {.size = 4},
        .lanes = {{.name = "read", .running = 2}, {.name = "write", .waiting = 0}, {.name = "report"}},
    }};
    http::handler pricing = [](const http::request&) { return http::reply(orders::quote{250, 3}); };
    orders::routes routes{database, [this](const http::request& req) { return pricing(req); }};
    http::router app;

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

} // namespace

BOOST_FIXTURE_TEST_SUITE(placing_an_order, orders_fixture)

BOOST_AUTO_TEST_CASE(answers_201_with_its_location)
{
    const auto reply = app(http::post("/orders", two_teas));

    BOOST_TEST(reply.status() == http::status::created);
    BOOST_TEST(reply.header(http::field::location) == "/orders/1");
    BOOST_TEST(reply.json<orders::order>().total_cents == 500);
}

BOOST_AUTO_TEST_CASE(can_be_read_back_with_its_history)
{
    app(http::post("/orders", two_teas));

    const auto reply = app(http::get("/orders/1"));

    const auto view = reply.json<orders::order_view>();
    BOOST_TEST(view.head.sku == "tea");
    BOOST_TEST(view.head.state == "placed");
    BOOST_REQUIRE(view.history.size() == 1U);
    BOOST_TEST(view.history[0].note == "placed");
    BOOST_TEST(app(http::get("/orders/1/state")).body() == R"({"id":1,"state":"placed"})");
}

BOOST_AUTO_TEST_CASE(names_the_member_that_is_wrong)
{
    const auto reply = app(http::post("/orders", R"({"customer_id": 7, "sku": "tea", "quantity": 0})"));

    BOOST_TEST(reply.status() == http::status::unprocessable_entity);
    BOOST_TEST(reply.json<http::problem>().errors.at(0).pointer == "/quantity");
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_order)
{
    for (const auto* body : {"", "{", "[]", R"({"customer_id": 7, "sku": "tea"})",
                             R"({"customer_id": "7", "sku": "tea", "quantity": 1})",
                             R"({"customer_id": 7, "sku": "tea", "quantity": 1.5})",
                             R"({"customer_id": 7, "sku": "tea", "quantity": 3000000000})",
                             R"({"customer_id": 9223372036854775808, "sku": "tea", "quantity": 1})",
                             R"({"customer_id": 7, "sku": "tea", "quantity": 1, "price": 1})"})
        BOOST_TEST(app(http::post("/orders", body)).status() == http::status::bad_request, body);

    BOOST_TEST(count("orders") == 0);
}

BOOST_AUTO_TEST_CASE(answers_409_when_there_are_too_few_and_writes_nothing)
{
    const auto reply = app(http::post("/orders", R"({"customer_id": 7, "sku": "tea", "quantity": 4})"));

    BOOST_TEST(reply.status() == http::status::conflict);
    BOOST_TEST(reply.json<http::problem>().detail == "only 3 left");
    BOOST_TEST(count("orders") == 0);
}

BOOST_AUTO_TEST_CASE(answers_409_for_a_customer_that_does_not_exist)
{
    const auto reply = app(http::post("/orders", R"({"customer_id": 11, "sku": "tea", "quantity": 1})"));

    BOOST_TEST(reply.status() == http::status::conflict);
    BOOST_TEST(count("orders") == 0);
    BOOST_TEST(count("order_events") == 0);
}

BOOST_AUTO_TEST_CASE(refuses_a_total_that_cannot_be_represented)
{
    pricing = [](const http::request&) {
        return http::reply(orders::quote{5'000'000'000'000'000'000, 1000});
    };

    const auto reply = app(http::post("/orders", two_teas));

    BOOST_TEST(reply.status() == http::status::unprocessable_entity);
    BOOST_TEST(count("orders") == 0);
}

BOOST_AUTO_TEST_CASE(asks_for_the_price_of_exactly_this_article)
{
    std::string asked;
    pricing = [&](const http::request& req) {
        asked = req.target();
        return http::reply(orders::quote{1, 10});
    };

    app(http::post("/orders", R"({"customer_id": 7, "sku": "a/b?c", "quantity": 1})"));

    BOOST_TEST(asked == "/quotes/a%2Fb%3Fc");
}

BOOST_AUTO_TEST_CASE(answers_502_when_the_pricing_service_fails)
{
    pricing = [](const http::request&) { return http::response(http::status::internal_server_error); };

    const auto reply = app(http::post("/orders", two_teas));

    BOOST_TEST(reply.status() == http::status::bad_gateway);
    BOOST_TEST(count("orders") == 0);
}

BOOST_AUTO_TEST_CASE(answers_504_when_the_pricing_service_is_too_slow)
{
    pricing = [](const http::request&) {
        heddle::fiber::sleep_for(1h);
        return http::reply(orders::quote{1, 10});
    };
    http::response reply;
    runtime.spawn([&] { reply = app(http::post("/orders", two_teas)); });

    runtime.run_ready();
    runtime.advance(300ms);

    BOOST_TEST(reply.status() == http::status::gateway_timeout);
    BOOST_TEST(count("orders") == 0);
}

BOOST_AUTO_TEST_CASE(answers_503_when_the_write_lane_is_full)
{
    testing::hold busy{database.lane("write")}; // takes every permit until the end of this case

    const auto reply = app(http::post("/orders", two_teas));

    BOOST_TEST(reply.status() == http::status::service_unavailable);
    BOOST_TEST(!reply.header(http::field::retry_after).empty());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(reading_orders, orders_fixture)

BOOST_AUTO_TEST_CASE(answers_404_for_one_that_does_not_exist)
{
    for (const auto* target :
         {"/orders/1", "/orders/0", "/orders/-5", "/orders/9223372036854775807", "/orders/1/state"})
        BOOST_TEST(app(http::get(target)).status() == http::status::not_found, target);
}

BOOST_AUTO_TEST_CASE(answers_400_for_what_is_no_number)
{
    for (const auto* target :
         {"/orders/one", "/orders/1x", "/orders/+1", "/orders/9223372036854775808", "/orders/%31x"})
        BOOST_TEST(app(http::get(target)).status() == http::status::bad_request, target);
}

BOOST_AUTO_TEST_CASE(reads_an_order_while_the_write_lane_is_full)
{
    app(http::post("/orders", two_teas));
    testing::hold busy{database.lane("write")};

    BOOST_TEST(app(http::get("/orders/1")).status() == http::status::ok);
}

BOOST_AUTO_TEST_CASE(answers_405_for_a_method_that_is_not_offered)
{
    const auto reply = app(http::put("/orders", "{}"));

    BOOST_TEST(reply.status() == http::status::method_not_allowed);
    BOOST_TEST(reply.header(http::field::allow).find("POST") != std::string_view::npos);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(the_sales_report, orders_fixture)

BOOST_AUTO_TEST_CASE(has_one_line_for_each_article)
{
    app(http::post("/orders", two_teas));
    app(http::post("/orders", R"({"customer_id": 8, "sku": "tea", "quantity": 1})"));
    app(http::post("/orders", R"({"customer_id": 8, "sku": "salt", "quantity": 3})"));

    const auto reply = app(http::get("/reports/sales"));

    BOOST_TEST(http::collect(reply) == "{\"sku\":\"salt\",\"sold\":3,\"revenue_cents\":750}\n"
                                       "{\"sku\":\"tea\",\"sold\":3,\"revenue_cents\":750}\n");
}

BOOST_AUTO_TEST_CASE(leaves_out_what_is_older_than_asked_for)
{
    app(http::post("/orders", two_teas));

    BOOST_TEST(http::collect(app(http::get("/reports/sales?since=2999-01-01"))) == "");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(the_generated_orders, orders_fixture)

BOOST_AUTO_TEST_CASE(are_made_once)
{
    BOOST_TEST(!orders::fill(database.lane("write"), {.customers = 10, .orders = 10}));
    BOOST_TEST(count("customers") == 10);
    BOOST_TEST(count("orders") == 0);
}

BOOST_AUTO_TEST_CASE(are_the_same_everywhere)
{
    testing::temporary_directory elsewhere;
    db::database full{{
        .driver = db::sqlite({.path = elsewhere.path("full.db")}),
        .pool = {.size = 4},
        .lanes = {{.name = "read"}, {.name = "write"}, {.name = "report"}},
    }};
    orders::create_tables(full.lane("write"));

    BOOST_TEST(orders::fill(full.lane("write"), {}));

    auto& lane = full.lane("read");
    BOOST_TEST(lane.one<std::int64_t>("SELECT count(*) FROM orders") == 10'000);
    BOOST_TEST(lane.one<std::int64_t>("SELECT count(*) FROM customers") == 1000);
    BOOST_TEST(lane.one<std::int64_t>("SELECT count(DISTINCT sku) FROM orders") == 6);
    BOOST_TEST(lane.one<std::int64_t>("SELECT count(DISTINCT state) FROM orders") == 4);
    BOOST_TEST(lane.one<std::int64_t>("SELECT count(*) FROM orders WHERE total_cents < 60 OR quantity < 1") ==
               0);
    BOOST_TEST(lane.one<std::string>("SELECT state FROM orders WHERE id = 42") == "shipped");
}

BOOST_AUTO_TEST_SUITE_END()
