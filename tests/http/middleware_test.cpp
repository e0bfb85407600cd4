// What goes around handlers.

#include <boost/test/unit_test.hpp>

#include <heddle/base/error.hpp>
#include <heddle/base/log.hpp>
#include <heddle/fiber/gate.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/http/middleware.hpp>
#include <heddle/http/router.hpp>
#include <heddle/testing/hold.hpp>
#include <heddle/testing/runtime.hpp>

#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace fiber = heddle::fiber;
namespace http = heddle::http;
namespace testing = heddle::testing;
using namespace std::chrono_literals;

namespace {

http::response hello(const http::request&)
{
    return http::reply("hello");
}

http::middleware traces(std::string& trace, std::string name)
{
    return [&trace, name](const http::request& req, const http::handler& next) {
        trace += name + "(";
        http::response answer = next(req);
        trace += ")";
        return answer;
    };
}

} // namespace

BOOST_AUTO_TEST_SUITE(a_chain)

BOOST_AUTO_TEST_CASE(calls_the_outermost_first)
{
    std::string trace;
    const http::handler app = http::chain({traces(trace, "a"), traces(trace, "b")}, hello);

    BOOST_TEST(app(http::get("/")).body() == "hello");
    BOOST_TEST(trace == "a(b())");
    BOOST_TEST(http::chain({}, hello)(http::get("/")).body() == "hello");
}

BOOST_AUTO_TEST_CASE(shows_answers_to_those_outside_of_what_throws)
{
    heddle::log::capture quiet{[](heddle::log::level, std::string_view) {}};
    std::string trace;
    const http::middleware throws = [](const http::request&, const http::handler&) -> http::response {
        throw std::runtime_error("in a middleware");
    };
    const http::handler app = http::chain({traces(trace, "a"), throws}, hello);

    BOOST_TEST((app(http::get("/")).status() == http::status::internal_server_error));
    BOOST_TEST(trace == "a()");
}

BOOST_AUTO_TEST_CASE(takes_a_router_and_a_typed_handler)
{
    std::string trace;
    http::router router;
    router.get("/one", http::chain({traces(trace, "route")},
                                   [](const http::request&) { return std::string("typed"); }));
    const http::handler copied = http::chain({traces(trace, "all")}, router);
    const http::handler referred = http::chain({}, std::ref(router));

    BOOST_TEST(copied(http::get("/one")).body() == "typed");
    BOOST_TEST(trace == "all(route())");
    BOOST_TEST(referred(http::get("/one")).body() == "typed");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(a_request_id)

BOOST_AUTO_TEST_CASE(is_the_clients_if_it_is_harmless)
{
    const http::handler app = http::chain({http::request_id()}, [](const http::request& req) {
        return http::reply(std::string(req.request_id()));
    });
    const auto id_for = [&](const std::string& sent) {
        return std::string(app(http::get("/").with_header("X-Request-Id", sent)).body());
    };

    BOOST_TEST(id_for("aZ-0_9.x") == "aZ-0_9.x");
    BOOST_TEST(id_for(std::string(64, 'a')) == std::string(64, 'a'));
    for (const std::string& sent :
         {std::string(65, 'a'), std::string("a b"), std::string("a\"b"), std::string("\xC3\xA9")})
        BOOST_TEST(id_for(sent).size() == 32U);
}

BOOST_AUTO_TEST_CASE(is_new_for_each_request_and_goes_out_with_the_answer)
{
    const http::handler app = http::chain({http::request_id()}, hello);
    std::set<std::string> ids;

    for (int i = 0; i != 1000; ++i)
        ids.emplace(app(http::get("/")).header("X-Request-Id"));

    BOOST_TEST(ids.size() == 1000U);
    BOOST_TEST(ids.begin()->size() == 32U);
}

BOOST_AUTO_TEST_CASE(names_the_scope_of_handler_and_stream)
{
    testing::runtime runtime;
    fiber::scope scope{{}};
    const http::handler app = http::chain({http::request_id()}, [](const http::request&) {
        return http::stream("text/plain",
                            [](http::sink& out) { out.write(fiber::scope::current()->request_id()); });
    });

    BOOST_TEST(http::collect(app(http::get("/").with_header("X-Request-Id", "r-1"))) == "r-1");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(a_limit)

BOOST_AUTO_TEST_CASE(answers_503_when_its_gate_is_full)
{
    testing::runtime runtime;
    fiber::gate gate({.name = "all", .running = 1, .waiting = 0});
    const http::handler app = http::chain({http::limit(gate)}, hello);
    {
        testing::hold busy(gate);
        const auto refused = app(http::get("/"));
        BOOST_TEST((refused.status() == http::status::service_unavailable));
        BOOST_TEST(!refused.header(http::field::retry_after).empty());
    }

    BOOST_TEST(app(http::get("/")).body() == "hello");
    BOOST_TEST(gate.slots().available() == 1);
    BOOST_TEST(gate.turns().available() == 1);
}

BOOST_AUTO_TEST_CASE(lasts_until_the_stream_is_gone)
{
    testing::runtime runtime;
    fiber::gate gate({.name = "all", .running = 1, .waiting = 0});
    const http::handler app = http::chain({http::limit(gate)}, [](const http::request&) {
        return http::stream("text/plain", [](http::sink& out) { out.write("x"); });
    });
    {
        const http::response streaming = app(http::get("/"));
        BOOST_TEST(gate.turns().available() == 0);
        BOOST_TEST(http::collect(streaming) == "x");
    }

    BOOST_TEST(gate.turns().available() == 1);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(a_budget)

BOOST_AUTO_TEST_CASE(ends_what_takes_longer_with_504)
{
    testing::runtime runtime;
    const http::handler app = http::chain({http::within(100ms)}, [](const http::request&) {
        fiber::sleep_for(1s);
        return http::reply("too late");
    });
    unsigned status = 0;
    runtime.spawn([&] {
        heddle::log::capture quiet{[](heddle::log::level, std::string_view) {}};
        status = static_cast<unsigned>(app(http::get("/")).status());
    });

    runtime.advance(99ms);
    BOOST_TEST(status == 0U);
    runtime.advance(1ms);
    BOOST_TEST(status == 504U);
}

BOOST_AUTO_TEST_CASE(holds_for_the_stream_as_well)
{
    testing::runtime runtime;
    const http::handler app = http::chain({http::within(100ms)}, [](const http::request&) {
        return http::stream("text/plain", [](http::sink&) { fiber::sleep_for(1s); });
    });
    bool late = false;
    runtime.spawn([&] {
        const http::response streaming = app(http::get("/"));
        try {
            http::collect(streaming);
        } catch (const heddle::deadline_exceeded&) {
            late = true;
        }
    });

    runtime.advance(100ms);

    BOOST_TEST(late);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(comparing_secrets)

BOOST_AUTO_TEST_CASE(is_plain_equality)
{
    BOOST_TEST(http::equal_in_constant_time("", ""));
    BOOST_TEST(http::equal_in_constant_time("Bearer x", "Bearer x"));
    BOOST_TEST(!http::equal_in_constant_time("Bearer x", "Bearer y"));
    BOOST_TEST(!http::equal_in_constant_time("xearer x", "Bearer x"));
    BOOST_TEST(!http::equal_in_constant_time("Bearer", "Bearer x"));
    BOOST_TEST(!http::equal_in_constant_time("", "x"));
}

BOOST_AUTO_TEST_SUITE_END()
