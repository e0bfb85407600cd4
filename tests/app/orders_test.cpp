// Reading orders and customers, page by page and as a report; and the orders that are generated.
#include "orders_fixture.hpp"

#include <heddle/fiber/runtime.hpp>
#include <heddle/testing/hold.hpp>

#define BOOST_TEST_MODULE orders
#include <boost/test/unit_test.hpp>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace db = heddle::db;
namespace http = heddle::http;
namespace testing = heddle::testing;

using namespace std::chrono_literals;

namespace {

constexpr const char* two_teas = R"({"customer_id": 7, "sku": "tea", "quantity": 2})";

struct full_fixture : orders_fixture
{
    // Of customer 7 those with odd ids, of customer 8 those with even ids, from 1 to 9.
    full_fixture()
    {
        for (int id = 1; id <= 9; ++id)
            app(http::post("/orders", R"({"sku": "tea", "quantity": 1, "customer_id": )" +
                                          std::string(id % 2 ? "7}" : "8}")));
    }

    orders::order_page page(const std::string& target)
    {
        return app(http::get(target)).json<orders::order_page>();
    }

    // Follows `next` to the end.
    std::vector<std::int64_t> all_from(std::string target)
    {
        std::vector<std::int64_t> ids;
        for (;;) {
            auto here = page(target);
            for (const auto& order : here.orders)
                ids.push_back(order.id);
            if (!here.next)
                return ids;
            target = *std::move(here.next);
        }
    }
};

using ids = std::vector<std::int64_t>;

} // namespace

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

BOOST_AUTO_TEST_CASE(answers_503_for_an_order_when_the_read_lane_is_full)
{
    app(http::post("/orders", two_teas));
    testing::hold busy{database.lane("read")};

    BOOST_TEST(app(http::get("/orders/1")).status() == http::status::service_unavailable);
}

BOOST_AUTO_TEST_CASE(needs_one_permit_for_all_that_it_reads)
{
    app(http::post("/orders", two_teas));
    runtime.spawn([this] { // the other of two
        const auto permit = database.lane("read").gate().enter();
        heddle::fiber::sleep_for(50ms);
    });
    runtime.run_ready();

    BOOST_TEST(app(http::get("/orders/1")).status() == http::status::ok);

    runtime.advance(50ms);
}

BOOST_AUTO_TEST_CASE(reads_a_customer)
{
    BOOST_TEST(app(http::get("/customers/7")).body() == R"({"id":7,"name":"Customer 7","city":"Lyon"})");
    BOOST_TEST(app(http::get("/customers/11")).status() == http::status::not_found);
    BOOST_TEST(app(http::get("/customers/x")).status() == http::status::bad_request);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(the_list_of_orders, full_fixture)

BOOST_AUTO_TEST_CASE(is_by_id_and_whole_when_it_fits)
{
    const auto all = page("/orders");

    BOOST_TEST(all.orders.size() == 9U);
    BOOST_TEST(all.orders.front().id == 1);
    BOOST_TEST(!all.next.has_value());
}

BOOST_AUTO_TEST_CASE(names_the_next_page)
{
    const auto first = page("/orders?customer=7&limit=2");

    BOOST_TEST(first.orders.size() == 2U);
    BOOST_TEST(first.next.value() == "/orders?customer=7&after=3&limit=2");
    BOOST_TEST(page("/orders?limit=3").next.value() == "/orders?after=3&limit=3");
}

BOOST_AUTO_TEST_CASE(has_every_order_once_whatever_the_page_size)
{
    for (const auto* limit : {"1", "2", "3", "4", "5", "8", "9", "100"}) {
        BOOST_TEST((all_from("/orders?limit=" + std::string(limit)) == ids{1, 2, 3, 4, 5, 6, 7, 8, 9}));
        BOOST_TEST((all_from("/orders?customer=7&limit=" + std::string(limit)) == ids{1, 3, 5, 7, 9}));
        BOOST_TEST((all_from("/orders?customer=8&limit=" + std::string(limit)) == ids{2, 4, 6, 8}));
    }
}

BOOST_AUTO_TEST_CASE(is_empty_after_the_last_order_and_for_who_has_none)
{
    BOOST_TEST(app(http::get("/orders?after=9")).body() == R"({"orders":[],"next":null})");
    BOOST_TEST(app(http::get("/orders?customer=9")).body() == R"({"orders":[],"next":null})");
}

BOOST_AUTO_TEST_CASE(names_what_is_wrong_with_the_query)
{
    using wrong = std::pair<const char*, const char*>;
    for (const auto& [query, pointer] : {wrong{"limit=0", "/query/limit"}, wrong{"limit=101", "/query/limit"},
                                         wrong{"limit=-1", "/query/limit"}, wrong{"after=-1", "/query/after"},
                                         wrong{"customer=0", "/query/customer"}}) {
        const auto reply = app(http::get(std::string("/orders?") + query));
        BOOST_TEST(reply.status() == http::status::unprocessable_entity, query);
        BOOST_TEST(reply.json<http::problem>().errors.at(0).pointer == pointer);
    }
}

BOOST_AUTO_TEST_CASE(answers_400_for_a_query_that_is_no_number)
{
    for (const auto* query :
         {"limit=", "limit=ten", "limit=1.5", "after=1x", "customer=9223372036854775808", "customer=+"})
        BOOST_TEST(app(http::get(std::string("/orders?") + query)).status() == http::status::bad_request,
                   query);
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

BOOST_AUTO_TEST_CASE(leaves_out_what_was_cancelled)
{
    app(http::post("/orders", two_teas));
    app(http::patch("/orders/1", R"({"state": "cancelled"})"));

    BOOST_TEST(http::collect(app(http::get("/reports/sales"))) == "");
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_day)
{
    for (const auto* since : {"", "yesterday", "2026-02-29", "2026-1-1", "-202-01-01", "2026-01-011"})
        BOOST_TEST(app(http::get(std::string("/reports/sales?since=") + since)).status() ==
                       http::status::bad_request,
                   since);
    BOOST_TEST(app(http::get("/reports/sales?since=2024-02-29")).status() == http::status::ok);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(the_generated_orders, database_fixture)

BOOST_AUTO_TEST_CASE(are_made_once)
{
    auto& writes = database.lane("write");
    orders::create_tables(driver);

    BOOST_TEST(orders::fill(writes, {.customers = 10, .orders = 0}));
    BOOST_TEST(!orders::fill(writes, {.customers = 10, .orders = 10}));
    BOOST_TEST(count("customers") == 10);
    BOOST_TEST(count("orders") == 0);
}

BOOST_AUTO_TEST_CASE(are_the_same_everywhere)
{
    orders::create_tables(driver);

    BOOST_TEST(orders::fill(database.lane("write"), {}));

    auto& lane = database.lane("read");
    BOOST_TEST(count("orders") == 10'000);
    BOOST_TEST(count("customers") == 1000);
    BOOST_TEST(count("order_items") == 19'989);
    BOOST_TEST(count("order_events") == 25'002);
    BOOST_TEST(lane.one<std::int64_t>("SELECT count(DISTINCT sku) FROM order_items") == 6);
    BOOST_TEST(lane.one<std::int64_t>("SELECT count(DISTINCT state) FROM orders") == 4);
    BOOST_TEST(lane.one<std::int64_t>("SELECT count(*) FROM orders WHERE NOT EXISTS "
                                      "(SELECT 1 FROM order_items WHERE order_id = orders.id)") == 0);
    BOOST_TEST(lane.one<std::int64_t>("SELECT count(*) FROM orders WHERE total_cents <> "
                                      "(SELECT sum(quantity * unit_price_cents) FROM order_items "
                                      "WHERE order_id = orders.id)") == 0);
    using row = std::tuple<std::string, std::int64_t, std::string>;
    BOOST_TEST((lane.one<row>("SELECT state, total_cents, placed_at FROM orders WHERE id = 42") ==
                row("shipped", 480, "2025-01-25")));
    BOOST_TEST(
        (lane.query<std::string>("SELECT at FROM order_events WHERE order_id = 42 ORDER BY id") ==
         std::vector<std::string>{"2025-01-25T09:00:00Z", "2025-01-26T09:00:00Z", "2025-01-27T09:00:00Z"}));
}

BOOST_AUTO_TEST_CASE(are_followed_by_the_first_that_is_placed)
{
    orders::create_tables(driver);
    orders::fill(database.lane("write"), {.customers = 3, .orders = 7});

    BOOST_TEST(database.lane("write").transaction([](db::transaction& tx) {
        return tx.one<std::int64_t>("INSERT INTO orders (customer_id, state, total_cents) "
                                    "VALUES (1, 'placed', 5) RETURNING id");
    }) == 8);
}

BOOST_AUTO_TEST_SUITE_END()
