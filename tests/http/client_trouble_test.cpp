// What the client does when its upstream is slow, broken or overrun, or its caller does not wait.
#include "client_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <stdexcept>

namespace {

const auto hang_up = [](auto& peer, auto) { peer.end(); }; // takes a request, and closes

} // namespace

BOOST_FIXTURE_TEST_SUITE(a_client_in_trouble, client_fixture)

BOOST_AUTO_TEST_CASE(of_an_opener_that_knows_no_kinds_is_the_origins)
{
    before_open = [] { throw std::runtime_error("no route"); };
    http::client client(options);
    const auto asked = ask(client, http::get("/"));
    BOOST_TEST((asked->failure == kind::upstream));
    BOOST_TEST(asked->what == "http://pricing:9000: no route");
}

BOOST_AUTO_TEST_CASE(says_at_once_that_it_cannot_connect)
{
    before_open = [] { throw heddle::net::broken("refused"); };
    http::client client(options);

    const auto asked = ask(client, http::post("/", "{}"));

    BOOST_TEST((asked->failure == kind::upstream), asked->what);
    BOOST_TEST(asked->what.find("http://pricing:9000: ") == 0u, asked->what);
    BOOST_TEST(asked->what.find("refused") != std::string::npos, asked->what);
    BOOST_TEST(client.counters().failed.value() == 1u);
    BOOST_TEST(client.connections().open == 0);
}

// Nobody waited for it when it came.
BOOST_AUTO_TEST_CASE(tells_nobody_later_that_it_could_not_connect)
{
    before_open = [] {
        fiber::sleep_for(100ms);
        throw heddle::net::broken("refused");
    };
    http::client client(options);
    ask(client, http::get("/"), 50ms);
    runtime.advance(200ms);

    before_open = {};
    script = [](auto& peer, auto) { peer.arrive(pong); };
    const auto asked = ask(client, http::get("/"));

    BOOST_TEST(asked->answer.has_value(), asked->what);
}

BOOST_AUTO_TEST_CASE(says_504_when_connecting_or_the_answer_takes_too_long)
{
    http::client client(options);
    const auto late_head = ask(client, http::get("/"));
    runtime.advance(10s);
    const auto late_body = ask(client, http::get("/"));
    say(1, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npo");
    runtime.advance(10s);
    before_open = [] { fiber::sleep_for(1h); };
    const auto late_connection = ask(client, http::get("/"));
    runtime.advance(1s);

    for (const auto& asked : {late_head, late_body, late_connection})
        BOOST_TEST((asked->failure == kind::upstream_timeout), asked->what);
    BOOST_TEST(client.counters().timed_out.value() == 3u);
    BOOST_TEST(peers.at(0)->is_closed);
    BOOST_TEST(peers.at(1)->is_closed);
}

// The caller's own time: he is told that it was his.
BOOST_AUTO_TEST_CASE(ends_with_its_callers_deadline_in_every_stage)
{
    http::client client(options);

    const auto in_head = ask(client, http::get("/"), 50ms);
    runtime.advance(50ms);
    const auto in_body = ask(client, http::get("/"), 50ms);
    say(1, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npo");
    runtime.advance(50ms);
    script = [](auto& peer, auto) { peer.wire.make_room(0); };
    ask(client, http::get("/"), 50ms); // its connection takes nothing more
    runtime.advance(50ms);
    before_open = [] { fiber::sleep_for(1h); };
    const auto in_connecting = ask(client, http::get("/"), 50ms);
    runtime.advance(50ms);

    for (const auto& asked : {in_head, in_body, in_connecting})
        BOOST_TEST((asked->failure == kind::deadline), asked->what);
    BOOST_TEST(client.counters().ended.value() == 4u);
    for (const auto& peer : peers)
        BOOST_TEST(peer->is_closed);
}

BOOST_AUTO_TEST_CASE(ends_with_its_callers_deadline_while_it_sends)
{
    http::client client(options);
    const std::string large(100'000, 'x');

    const auto asked = start(
        [&] {
            return client(http::post("/", large), http::upload{[&](http::sink& out) {
                              out.write("first");
                              peers.at(0)->wire.make_room(10);
                              out.write(large);
                          }});
        },
        50ms);
    BOOST_TEST(!asked->failure.has_value());
    runtime.advance(50ms);

    BOOST_TEST((asked->failure == kind::deadline), asked->what);
    BOOST_TEST(peers.at(0)->is_closed);
}

BOOST_AUTO_TEST_CASE(closes_the_connection_of_a_cancelled_request)
{
    http::client client(options);
    fiber::scope* caller = nullptr;
    const auto asked = start([&] {
        fiber::scope scope({});
        caller = &scope;
        return client(http::get("/"));
    });

    caller->cancel();
    runtime.run_ready();

    BOOST_TEST((asked->failure == kind::cancelled));
    BOOST_TEST(peers.at(0)->is_closed);
    BOOST_TEST(client.connections().open == 0);
}

BOOST_AUTO_TEST_CASE(refuses_what_is_more_than_may_wait)
{
    options.max_connections = 1;
    options.waiting = 1;
    http::client client(options);

    const auto first = ask(client, http::get("/1"));
    const auto waits = ask(client, http::get("/2"));
    const auto refused = ask(client, http::get("/3"));
    say(0, pong);
    say(0, pong);

    BOOST_TEST((refused->failure == kind::overloaded));
    BOOST_TEST(first->answer.has_value());
    BOOST_TEST(waits->answer.has_value());
    BOOST_TEST(peers.size() == 1u);
    BOOST_TEST(client.counters().overloaded.value() == 1u);
}

BOOST_AUTO_TEST_CASE(refuses_an_answer_that_is_too_large)
{
    options.max_body = 10;
    script = [](auto& peer, auto) {
        peer.arrive("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n01234567890");
    };
    http::client client(options);

    const auto asked = ask(client, http::get("/"));

    BOOST_TEST((asked->failure == kind::upstream), asked->what);
}

BOOST_AUTO_TEST_CASE(takes_an_answer_that_came_before_all_was_sent)
{
    http::client client(options);

    const auto asked = start([&] {
        return client(http::post("/", ""), http::upload{[&](http::sink& out) {
                          out.write("a piece");
                          peers.at(0)->arrive("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
                          peers.at(0)->takes_no_more = true;
                          out.write("another");
                      }});
    });

    BOOST_TEST_REQUIRE(asked->answer.has_value(), asked->what);
    BOOST_TEST(asked->answer->status() == http::status::payload_too_large);
    BOOST_TEST(peers.at(0)->is_closed);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(sending_again, client_fixture)

BOOST_AUTO_TEST_CASE(takes_at_most_a_tenth_of_all_requests)
{
    script = hang_up;
    http::client client(options);

    for (int i = 0; i < 200; ++i)
        BOOST_TEST((ask(client, http::get("/"))->failure == kind::upstream));

    BOOST_TEST(peers.size() == 220u); // each attempt needed a connection of its own
    BOOST_TEST(client.counters().retries.value() == 20u);
    BOOST_TEST(client.counters().retries_refused.value() > 100u);
}

BOOST_AUTO_TEST_CASE(is_granted_to_few_requests_by_the_time)
{
    options.least_retries_a_second = 1;
    script = hang_up;
    http::client client(options);

    runtime.advance(1s);
    ask(client, http::get("/"));
    ask(client, http::get("/"));

    BOOST_TEST(client.counters().retries.value() == 1u);
    BOOST_TEST(peers.size() == 3u);
}

BOOST_AUTO_TEST_CASE(is_free_once_where_a_kept_connection_broke)
{
    options.retries = 0;
    bool breaks = false;
    script = [&](auto& peer, auto) { std::exchange(breaks, false) ? peer.reset() : peer.arrive(pong); };
    http::client client(options);
    ask(client, http::get("/"));

    breaks = true;
    const auto asked = ask(client, http::get("/"));

    BOOST_TEST(asked->answer.has_value(), asked->what);
    BOOST_TEST(client.counters().stale.value() == 1u);
    BOOST_TEST(client.counters().retries.value() == 0u);
    BOOST_TEST(peers.size() == 2u);
}

BOOST_AUTO_TEST_CASE(is_not_done_with_what_may_have_had_an_effect)
{
    options.retry_share = 1;
    bool breaks = false;
    script = [&](auto& peer, auto) { breaks ? peer.reset() : peer.arrive(pong); };
    http::client client(options);
    ask(client, http::get("/"));

    breaks = true;
    const auto asked = ask(client, http::post("/", "{}"));

    BOOST_TEST((asked->failure == kind::upstream));
    BOOST_TEST(peers.size() == 1u);
}

BOOST_AUTO_TEST_CASE(is_not_done_once_a_byte_has_come)
{
    options.retry_share = 1;
    script = [](auto& peer, auto) {
        peer.arrive("H");
        peer.end();
    };
    http::client client(options);

    BOOST_TEST((ask(client, http::get("/"))->failure == kind::upstream));
    BOOST_TEST(peers.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
