// Placing orders, and taking them from state to state.
#include "orders_fixture.hpp"

#include <heddle/fiber/runtime.hpp>
#include <heddle/testing/hold.hpp>

#define BOOST_TEST_MODULE writing_orders
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace fiber = heddle::fiber;
namespace http = heddle::http;
namespace testing = heddle::testing;

using namespace std::chrono_literals;

namespace {

constexpr const char* two_teas = R"({"customer_id": 7, "sku": "tea", "quantity": 2})";
constexpr const char* tea_and_salt =
    R"({"customer_id": 7, "items": [{"sku": "tea", "quantity": 2}, {"sku": "salt", "quantity": 1}]})";

http::request keyed(const char* order)
{
    return http::post("/orders", order).with_header("Idempotency-Key", "\"one\"");
}

std::string step_to(const std::string& state)
{
    return R"({"state": ")" + state + R"("})";
}

struct placed_fixture : orders_fixture
{
    placed_fixture() { app(http::post("/orders", two_teas)); }

    http::response step(const std::string& state) { return app(http::patch("/orders/1", step_to(state))); }
    std::string state() { return app(http::get("/orders/1/state")).json<orders::order_state>().state; }
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

BOOST_AUTO_TEST_CASE(takes_several_articles)
{
    const auto reply = app(http::post("/orders", tea_and_salt));

    BOOST_TEST(reply.json<orders::order>().total_cents == 750);
    const auto view = app(http::get("/orders/1")).json<orders::order_view>();
    BOOST_REQUIRE(view.items.size() == 2U);
    BOOST_TEST(view.items[0].sku == "salt");
    BOOST_TEST(view.items[1].quantity == 2);
    BOOST_TEST(view.items[1].unit_price_cents == 250);
}

BOOST_AUTO_TEST_CASE(can_be_read_back_with_customer_and_history)
{
    app(http::post("/orders", two_teas));

    const auto view = app(http::get("/orders/1")).json<orders::order_view>();

    BOOST_TEST(view.order.state == "placed");
    BOOST_TEST(view.customer.name == "Customer 7");
    BOOST_TEST(view.items.at(0).sku == "tea");
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

BOOST_AUTO_TEST_CASE(names_every_item_that_is_wrong)
{
    const auto reply = app(http::post("/orders", R"({"customer_id": 7, "items": [
        {"sku": "tea", "quantity": 1}, {"sku": "salt", "quantity": -1}, {"sku": "tea", "quantity": 1}]})"));

    BOOST_TEST(reply.status() == http::status::unprocessable_entity);
    const auto errors = reply.json<http::problem>().errors;
    BOOST_REQUIRE(errors.size() == 2U);
    BOOST_TEST(errors[0].pointer == "/items/1/quantity");
    BOOST_TEST(errors[1].pointer == "/items/2/sku");
    BOOST_TEST(count("orders") == 0);
}

BOOST_AUTO_TEST_CASE(refuses_too_many_items_none_and_two_ways_at_once)
{
    std::string many = R"({"customer_id": 7, "items": [)";
    for (int i = 0; i < 21; ++i)
        many += (i ? "," : "") + std::string(R"({"quantity": 1, "sku": "s)") + std::to_string(i) + "\"}";

    for (const std::string& body : {many + "]}", std::string(R"({"customer_id": 7, "items": []})"),
                                    std::string(R"({"customer_id": 7, "sku": "tea", "quantity": 1,
                                                    "items": [{"sku": "tea", "quantity": 1}]})")}) {
        const auto reply = app(http::post("/orders", body));
        BOOST_TEST(reply.status() == http::status::unprocessable_entity, body);
        BOOST_TEST(reply.json<http::problem>().errors.at(0).pointer == "/items");
    }
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_order)
{
    for (const auto* body : {"", "{", "[]", R"({"customer_id": 7})", R"({"customer_id": 7, "sku": "tea"})",
                             R"({"customer_id": 7, "quantity": 1})", R"({"customer_id": 7, "items": {}})",
                             R"({"customer_id": 7, "items": [{"sku": "tea"}]})",
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
    BOOST_TEST(reply.json<http::problem>().detail == "only 3 left of tea");
    BOOST_TEST(count("orders") == 0);
}

BOOST_AUTO_TEST_CASE(answers_409_for_a_customer_that_does_not_exist)
{
    const auto reply = app(http::post("/orders", R"({"customer_id": 11, "sku": "tea", "quantity": 1})"));

    BOOST_TEST(reply.status() == http::status::conflict);
    BOOST_TEST(count("orders") == 0);
    BOOST_TEST(count("order_items") == 0);
    BOOST_TEST(count("order_events") == 0);
}

BOOST_AUTO_TEST_CASE(refuses_a_total_that_cannot_be_represented)
{
    pricing = [](const http::request&) {
        return http::reply(orders::quote{5'000'000'000'000'000'000, 1000});
    };

    const auto of_one = app(http::post("/orders", two_teas));
    const auto of_two = app(http::post("/orders", R"({"customer_id": 7, "items": [
        {"sku": "tea", "quantity": 1}, {"sku": "salt", "quantity": 1}]})"));

    BOOST_TEST(of_one.status() == http::status::unprocessable_entity);
    BOOST_TEST(of_two.status() == http::status::unprocessable_entity);
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

BOOST_AUTO_TEST_CASE(asks_for_all_prices_side_by_side)
{
    pricing = [](const http::request&) {
        heddle::fiber::sleep_for(200ms);
        return http::reply(orders::quote{1, 10});
    };

    const auto reply = answer_after(200ms, http::post("/orders", tea_and_salt));

    BOOST_TEST(reply.status() == http::status::created); // one after the other would take 400 ms, of 300
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

    const auto reply = answer_after(300ms, http::post("/orders", two_teas));

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

BOOST_FIXTURE_TEST_SUITE(placing_an_order_again, orders_fixture)

BOOST_AUTO_TEST_CASE(with_its_key_places_none)
{
    const auto first = app(keyed(two_teas));
    const auto second = app(keyed(two_teas));

    BOOST_TEST(first.header("Idempotency-Replayed").empty());
    BOOST_TEST(second.header("Idempotency-Replayed") == "true");
    BOOST_TEST(second.status() == http::status::created);
    BOOST_TEST(second.header(http::field::location) == "/orders/1");
    BOOST_TEST(second.body() == first.body());
    BOOST_TEST(count("orders") == 1);
    BOOST_TEST(count("order_items") == 1);
    BOOST_TEST(count("order_events") == 1);
}

BOOST_AUTO_TEST_CASE(with_its_key_does_not_ask_what_is_left_now)
{
    app(keyed(two_teas));
    pricing = [](const http::request&) { return http::reply(orders::quote{300, 1}); };

    BOOST_TEST(app(keyed(two_teas)).header(http::field::location) == "/orders/1");
    BOOST_TEST(app(http::post("/orders", two_teas)).status() == http::status::conflict);
}

BOOST_AUTO_TEST_CASE(with_the_key_of_another_one_is_refused)
{
    app(keyed(two_teas));
    const auto reply = app(keyed(tea_and_salt));

    BOOST_TEST(reply.status() == http::status::unprocessable_entity);
    BOOST_TEST(reply.json<http::problem>().type == "urn:heddle:idempotency-key-reused");
    BOOST_TEST(count("orders") == 1);
}

BOOST_AUTO_TEST_CASE(with_the_key_of_one_that_was_refused_places_it)
{
    BOOST_TEST(app(keyed(R"({"customer_id": 7, "sku": "tea", "quantity": 4})")).status() ==
               http::status::conflict);
    BOOST_TEST(app(keyed(R"({"customer_id": 11, "sku": "tea", "quantity": 1})")).status() ==
               http::status::conflict);
    BOOST_TEST(app(keyed(two_teas)).status() == http::status::created);
}

BOOST_AUTO_TEST_CASE(many_times_at_once_places_one)
{
    std::array<http::response, 4> replies; // which the write lane has room for
    fiber::task_group::run([&](fiber::task_group& tasks) {
        for (auto& reply : replies)
            tasks.start([&] {
                do // a slow machine may let the lock's budget pass
                    reply = app(keyed(two_teas));
                while (reply.status() == http::status::conflict);
            });
    });

    for (const auto& reply : replies)
        BOOST_TEST(reply.header(http::field::location) == "/orders/1");
    BOOST_TEST(count("orders") == 1);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(the_next_step, placed_fixture)

BOOST_AUTO_TEST_CASE(is_taken_and_noted_in_the_history)
{
    for (const auto* state : {"paid", "shipped", "delivered"}) {
        const auto reply = step(state);
        BOOST_TEST(reply.status() == http::status::ok);
        BOOST_TEST(reply.json<orders::order>().state == state);
    }

    const auto history = app(http::get("/orders/1")).json<orders::order_view>().history;
    BOOST_REQUIRE(history.size() == 4U);
    BOOST_TEST(history[3].note == "delivered");
}

BOOST_AUTO_TEST_CASE(is_refused_when_it_is_the_wrong_one)
{
    const auto reply = step("shipped");

    BOOST_TEST(reply.status() == http::status::conflict);
    BOOST_TEST(reply.json<http::problem>().detail ==
               "order 1 is placed and cannot become shipped; it can become paid or cancelled");
    BOOST_TEST(state() == "placed");
    BOOST_TEST(count("order_events") == 1);
}

BOOST_AUTO_TEST_CASE(does_not_exist_after_the_last)
{
    step("cancelled");

    BOOST_TEST(step("paid").json<http::problem>().detail ==
               "order 1 is cancelled and cannot become paid; it stays as it is");
}

BOOST_AUTO_TEST_CASE(must_be_a_state)
{
    const auto reply = step("lost");

    BOOST_TEST(reply.status() == http::status::unprocessable_entity);
    BOOST_TEST(reply.json<http::problem>().errors.at(0).pointer == "/state");
    BOOST_TEST(app(http::patch("/orders/1", R"({"state": 1})")).status() == http::status::bad_request);
    BOOST_TEST(app(http::patch("/orders/1", "{}")).status() == http::status::bad_request);
}

BOOST_AUTO_TEST_CASE(is_not_taken_by_an_order_that_does_not_exist)
{
    BOOST_TEST(app(http::patch("/orders/2", step_to("paid"))).status() == http::status::not_found);
}

BOOST_AUTO_TEST_CASE(is_taken_once_by_two_at_the_same_time)
{
    std::array<http::status, 4> answered{};

    heddle::fiber::task_group::run([&](heddle::fiber::task_group& tasks) {
        for (auto& status : answered)
            tasks.start([this, &status] { status = step("paid").status(); });
    });

    BOOST_TEST(std::count(answered.begin(), answered.end(), http::status::ok) == 1);
    BOOST_TEST(std::count(answered.begin(), answered.end(), http::status::conflict) == 3);
    BOOST_TEST(count("order_events") == 2);
}

BOOST_AUTO_TEST_SUITE_END()
