// The demonstration routes without sockets; time passes only when a test moves it.
#include "demonstration.hpp"

#include <heddle/http/message.hpp>
#include <heddle/testing/runtime.hpp>

#define BOOST_TEST_MODULE demonstration
#include <boost/test/unit_test.hpp>

#include <optional>

namespace http = heddle::http;

using namespace std::chrono_literals;

namespace {

struct fixture
{
    heddle::testing::runtime runtime;
    http::router app;

    fixture() { demonstration::mount(app); }

    // What is answered by the time `d` has passed; nothing if there is no answer yet.
    std::optional<http::response> answer_after(heddle::fiber::duration d, const char* target)
    {
        auto reply = std::make_shared<std::optional<http::response>>();
        runtime.spawn([this, target, reply] { *reply = app(http::get(target)); });
        runtime.run_ready();
        runtime.advance(d);
        return *reply;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(the_routes, fixture)

BOOST_AUTO_TEST_CASE(greet)
{
    BOOST_TEST(app(http::get("/hello")).body() == "Hello, World!\n");
    BOOST_TEST(app(http::get("/hello?name=Ada+L")).body() == "Hello, Ada L!\n");
    BOOST_TEST(app(http::get("/plaintext")).body() == "Hello, World!");
    BOOST_TEST(app(http::get("/json")).body() == R"({"message":"Hello, World!"})");
}

BOOST_AUTO_TEST_CASE(send_a_body_back_with_its_type)
{
    const auto reply = app(http::post("/echo", "{\"a\":1}"));

    BOOST_TEST(reply.body() == "{\"a\":1}");
    BOOST_TEST(reply.header(http::field::content_type) == "application/json");
}

BOOST_AUTO_TEST_CASE(sleep_exactly_as_long_as_asked)
{
    BOOST_TEST(!answer_after(49ms, "/sleep?ms=50").has_value());
    runtime.advance(1ms);
    BOOST_TEST(answer_after(50ms, "/sleep?ms=50").has_value());
}

BOOST_AUTO_TEST_CASE(refuse_numbers_out_of_range)
{
    for (const auto* target : {"/sleep?ms=-1", "/sleep?ms=60001", "/compute?ms=10001", "/fan-out?n=1001"})
        BOOST_TEST(app(http::get(target)).status() == http::status::unprocessable_entity, target);
    BOOST_TEST(app(http::get("/sleep?ms=soon")).status() == http::status::bad_request);
}

BOOST_AUTO_TEST_CASE(fan_out_to_fibers_that_sleep_side_by_side)
{
    const auto reply = answer_after(20ms, "/fan-out?n=100&ms=20");

    BOOST_REQUIRE(reply.has_value());
    BOOST_TEST(reply->body() == R"({"fibers":100,"sum":5050})");
}

BOOST_AUTO_TEST_CASE(compute_here_or_aside)
{
    BOOST_TEST(app(http::get("/compute?ms=2")).body().starts_with(R"({"rounds":)"));
    BOOST_TEST(app(http::get("/compute?ms=2&aside=true")).body().starts_with(R"({"rounds":)"));
}

BOOST_AUTO_TEST_SUITE_END()
