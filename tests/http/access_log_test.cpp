// What is written of each request.

#include <boost/test/unit_test.hpp>

#include <heddle/base/log.hpp>
#include <heddle/http/middleware.hpp>
#include <heddle/http/router.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace http = heddle::http;

namespace {

http::response hello(const http::request&)
{
    return http::reply("hello");
}

struct log_fixture
{
    std::vector<std::string> logged;
    heddle::log::capture capture{
        [this](heddle::log::level, std::string_view line) { logged.emplace_back(line); }};
};

bool has(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(an_access_log, log_fixture)

BOOST_AUTO_TEST_CASE(has_one_line_for_each_request)
{
    http::router router;
    router.get("/orders/{id}", hello);
    const http::handler app = http::chain({http::request_id(), http::access_log()}, router);

    app(http::get("/orders/7?x=1").with_header("X-Request-Id", "r-1"));
    app(http::get("/nothing"));

    BOOST_TEST_REQUIRE(logged.size() == 2U);
    BOOST_TEST(has(logged[0], "GET /orders/7?x=1 200 5B "));
    BOOST_TEST(has(logged[0], "route=/orders/{id}"));
    BOOST_TEST(has(logged[0], "id=r-1"));
    BOOST_TEST(has(logged[1], "GET /nothing 404 "));
    BOOST_TEST(!has(logged[1], "route="));
}

// FAULTS F28
BOOST_AUTO_TEST_CASE(cannot_be_forged_or_flooded)
{
    const http::handler app = http::chain({http::access_log()}, hello);

    app(http::get("/a\r\nFORGED \x1b[0m"));
    app(http::get("/" + std::string(100'000, 'a')));

    BOOST_TEST_REQUIRE(logged.size() == 2U);
    BOOST_TEST(!has(logged[0].substr(0, logged[0].size() - 1), "\n")); // its own end aside
    BOOST_TEST(has(logged[0], "x0d"));
    BOOST_TEST(logged[1].size() < 600U);
}

// FAULTS F28
BOOST_AUTO_TEST_CASE(says_what_the_client_says_of_itself_if_that_is_wanted)
{
    const http::handler app = http::chain({http::access_log({.agent = true})}, hello);

    app(http::get("/")
            .with_header("User-Agent", "x \x1b[0m" + std::string(16 * 1024, 'a'))
            .with_header("Referer", "r"));

    BOOST_TEST_REQUIRE(logged.size() == 1U);
    BOOST_TEST(has(logged[0], "GET / 200 5B "));
    BOOST_TEST(has(logged[0], "referer=r "));
    BOOST_TEST(has(logged[0], "x1b[0maaa"));
    BOOST_TEST(!has(logged[0], "\x1b"));
    BOOST_TEST(logged[0].size() < 600U);
}

BOOST_AUTO_TEST_CASE(has_fields_in_the_place_of_a_line_if_they_are_wanted)
{
    const http::handler app = http::chain(
        {http::access_log({.as = http::access_log_options::shape::fields, .agent = true})}, hello);
    http::request req = http::get("/a\"b").with_header("User-Agent", "curl");
    req.set_peer("10.0.0.1:1");
    req.set_client("192.0.2.7");

    app(req);

    BOOST_TEST_REQUIRE(logged.size() == 1U);
    for (const char* field :
         {"method=GET", "status=200", "bytes=5", "peer=10.0.0.1:1", "client=192.0.2.7", "user_agent=curl"})
        BOOST_TEST(has(logged[0], field), field << " in " << logged[0]);
}

BOOST_AUTO_TEST_CASE(names_the_client_that_a_proxy_speaks_for)
{
    const http::handler app = http::chain({http::access_log()}, hello);
    http::request req = http::get("/");
    req.set_peer("10.0.0.1:1");
    app(req);
    req.set_client("192.0.2.7");
    app(req);

    BOOST_TEST_REQUIRE(logged.size() == 2U);
    BOOST_TEST(!has(logged[0], "client="));
    BOOST_TEST(has(logged[1], " peer=10.0.0.1:1 client=192.0.2.7"));
}

BOOST_AUTO_TEST_CASE(waits_for_the_end_of_a_stream)
{
    const http::handler app = http::chain({http::access_log()}, [](const http::request&) {
        return http::stream("text/plain", [](http::sink& out) { out.write("12345"); });
    });

    const http::response answer = app(http::get("/"));
    BOOST_TEST(logged.empty());
    http::collect(answer);

    BOOST_TEST_REQUIRE(logged.size() == 1U);
    BOOST_TEST(has(logged[0], "GET / 200 5B "));
}

BOOST_AUTO_TEST_CASE(says_that_a_stream_was_refused)
{
    const http::handler app = http::chain({http::access_log()}, [](const http::request&) {
        return http::stream("text/plain", [](http::sink&) { throw std::runtime_error("not today"); });
    });

    BOOST_CHECK_THROW(http::collect(app(http::get("/"))), std::runtime_error);

    BOOST_TEST_REQUIRE(logged.size() == 1u);
    BOOST_TEST(has(logged[0], "GET / refused 0B "));
}

BOOST_AUTO_TEST_CASE(says_that_a_stream_was_cut)
{
    const http::handler app = http::chain({http::access_log()}, [](const http::request&) {
        return http::stream("text/plain", [](http::sink& out) {
            out.write("123");
            throw std::runtime_error("in the middle");
        });
    });

    BOOST_CHECK_THROW(http::collect(app(http::get("/"))), std::runtime_error);

    BOOST_TEST_REQUIRE(logged.size() == 1U);
    BOOST_TEST(has(logged[0], "GET / cut 3B "));
}

BOOST_AUTO_TEST_SUITE_END()
