// So many requests from each client, in virtual time.
#include <heddle/base/error.hpp>
#include <heddle/http/middleware.hpp>
#include <heddle/http/rate_limit.hpp>
#include <heddle/testing/runtime.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

namespace http = heddle::http;
using namespace std::chrono_literals;

namespace {

struct limited
{
    heddle::testing::runtime runtime;
    http::handler app;

    explicit limited(http::rate_limit_options options = {.per_second = 2, .burst = 3})
        : app(http::chain({http::rate_limit(std::move(options))}, [](const http::request&) { return "ok"; }))
    {
    }

    http::response ask(const std::string& peer) const
    {
        http::request req(http::verb::get, "/");
        req.set_peer(peer);
        return app(req);
    }

    // How many of so many are let through.
    int pass(int tries, const std::string& peer) const
    {
        int passed = 0;
        for (int i = 0; i != tries; ++i)
            passed += ask(peer).status() == http::status::ok;
        return passed;
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(a_rate_limit)

BOOST_FIXTURE_TEST_CASE(lets_a_burst_through_and_then_so_many_a_second, limited)
{
    BOOST_TEST(pass(10, "192.0.2.7:1") == 3);
    runtime.advance(499ms);
    BOOST_TEST(pass(10, "192.0.2.7:2") == 0); // another port is no other client
    runtime.advance(1ms);
    BOOST_TEST(pass(10, "192.0.2.7:3") == 1);
    runtime.advance(1s);
    BOOST_TEST(pass(10, "192.0.2.7:4") == 2);
    runtime.advance(1h);
    BOOST_TEST(pass(10, "192.0.2.7:5") == 3); // no more than a burst, however long the rest
}

BOOST_FIXTURE_TEST_CASE(says_when_to_come_back, limited)
{
    pass(3, "192.0.2.7:1");

    const http::response answer = ask("192.0.2.7:1");

    BOOST_TEST(static_cast<unsigned>(answer.status()) == 429u);
    BOOST_TEST(answer.header(http::field::retry_after) == "1");
    BOOST_TEST(answer.body().find("urn:heddle:rate-limited") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(says_so_in_whole_seconds_that_are_enough)
{
    const limited slow({.per_second = 0.1, .burst = 1});
    slow.pass(1, "192.0.2.7:1");

    BOOST_TEST(slow.ask("192.0.2.7:1").header(http::field::retry_after) == "10");
}

BOOST_FIXTURE_TEST_CASE(counts_each_client_by_itself, limited)
{
    BOOST_TEST(pass(10, "192.0.2.7:1") == 3);
    BOOST_TEST(pass(10, "192.0.2.8:1") == 3);
    BOOST_TEST(pass(10, "[2001:db8::1]:1") == 3);
    BOOST_TEST(pass(10, "[2001:db8:0:1::1]:1") == 3);
}

BOOST_FIXTURE_TEST_CASE(takes_a_network_of_64_bits_and_a_mapped_address_for_what_they_are, limited)
{
    BOOST_TEST(pass(10, "[2001:db8::1]:1") == 3);
    BOOST_TEST(pass(10, "[2001:db8::ffff:1]:1") == 0);
    BOOST_TEST(pass(10, "192.0.2.7:1") == 3);
    BOOST_TEST(pass(10, "[::ffff:192.0.2.7]:1") == 0);
}

BOOST_AUTO_TEST_CASE(can_go_by_something_else_than_the_address)
{
    limited by_key({.per_second = 1, .burst = 1, .key = [](const http::request& req) {
                        return std::string(req.header("X-Key"));
                    }});

    BOOST_TEST((by_key.app(http::get("/").with_header("X-Key", "a")).status() == http::status::ok));
    BOOST_TEST((by_key.app(http::get("/").with_header("X-Key", "b")).status() == http::status::ok));
    BOOST_TEST(
        (by_key.app(http::get("/").with_header("X-Key", "a")).status() == http::status::too_many_requests));
}

BOOST_AUTO_TEST_CASE(remembers_so_many_clients_and_forgets_those_who_used_least)
{
    limited few({.per_second = 0.001, .burst = 3, .clients = 8});
    few.pass(3, "192.0.2.7:1");

    for (int i = 0; i != 1000; ++i)
        BOOST_TEST_REQUIRE(
            few.pass(1, "198.51." + std::to_string(i / 250) + "." + std::to_string(i % 250) + ":1") == 1);

    BOOST_TEST(few.pass(1, "192.0.2.7:1") == 0); // he used more than they
}

BOOST_AUTO_TEST_CASE(wants_numbers_that_make_sense)
{
    for (const http::rate_limit_options& wrong :
         {http::rate_limit_options{.per_second = 0}, http::rate_limit_options{.per_second = -1},
          http::rate_limit_options{.per_second = 1e9}, http::rate_limit_options{.burst = 0},
          http::rate_limit_options{.clients = 0}})
        BOOST_CHECK_THROW(http::rate_limit(wrong), heddle::config_error);
}

BOOST_AUTO_TEST_SUITE_END()
