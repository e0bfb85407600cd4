// What the client sends, what it makes of answers, and how it keeps connections.
#include "client_fixture.hpp"

#define BOOST_TEST_MODULE client
#include <boost/test/unit_test.hpp>

BOOST_FIXTURE_TEST_SUITE(a_client, client_fixture)

BOOST_AUTO_TEST_CASE(sends_a_request_and_returns_the_answer)
{
    http::client client(options);

    const auto asked = ask(client, http::get("/quotes/tea?at=now").with_header("Accept", "text/plain"));
    const std::string sent = peers.at(0)->written();
    say(0, "HTTP/1.1 201 Created\r\nX-Price: 250\r\nContent-Length: 4\r\n\r\npong");

    BOOST_TEST(sent == "GET /quotes/tea?at=now HTTP/1.1\r\nHost: pricing:9000\r\nAccept: text/plain\r\n\r\n");
    BOOST_TEST(peers.at(0)->to == "http://pricing:9000");
    BOOST_REQUIRE(asked->answer);
    BOOST_TEST(asked->answer->status() == http::status::created);
    BOOST_TEST(asked->answer->header("x-price") == "250");
    BOOST_TEST(asked->answer->body() == "pong");
    BOOST_TEST(client.counters().requests.value() == 1u);
    BOOST_TEST(client.counters().answered[1].value() == 1u);
}

BOOST_AUTO_TEST_CASE(is_a_handler)
{
    script = [](auto& peer, auto) { peer.arrive(pong); };
    http::client client(options);
    const http::handler handler = std::ref(client);

    const auto asked = start([&] { return handler(http::get("/")); });

    BOOST_TEST(asked->answer.value().body() == "pong");
}

BOOST_AUTO_TEST_CASE(sends_a_body_with_its_length)
{
    http::client client(options);

    ask(client, http::post("/orders", "{}"));

    BOOST_TEST(peers.at(0)->written() == "POST /orders HTTP/1.1\r\nHost: pricing:9000\r\n"
                                         "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
}

BOOST_AUTO_TEST_CASE(leaves_out_what_belongs_to_another_connection)
{
    http::client client(options);
    auto passed_on = http::get("/").with_header("Connection", "close, X-Hop").with_header("X-Hop", "1");
    for (const char* name :
         {"Host", "Keep-Alive", "TE", "Transfer-Encoding", "Upgrade", "Expect", "Content-Length"})
        passed_on.with_header(name, "7");

    ask(client, passed_on.with_header("X-Kept", "1"));

    BOOST_TEST(peers.at(0)->written() == "GET / HTTP/1.1\r\nHost: pricing:9000\r\nX-Kept: 1\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(goes_to_its_own_origin_whatever_the_target_says)
{
    http::client client(options);

    ask(client, http::get("http://169.254.169.254/secrets?a=1"));

    BOOST_TEST(peers.at(0)->to == "http://pricing:9000");
    BOOST_TEST(peers.at(0)->written() == "GET /secrets?a=1 HTTP/1.1\r\nHost: pricing:9000\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(sends_nothing_that_could_be_read_as_two_requests)
{
    http::client client(options);
    http::request split = http::get("/");
    split.add_field("X-Name", "a\r\nX-Other: b");

    for (const http::request& one :
         {split, http::get("/a b"), http::get("/a\r\nHost: evil"), http::get("/a#b"), http::get("a"),
          http::get("*"), http::request(http::verb::connect, "/")}) {
        const auto asked = ask(client, one);
        BOOST_TEST((asked->failure == kind::internal), one.target());
    }
    for (const auto& peer : peers)
        BOOST_TEST(peer->written() == "");
}

BOOST_AUTO_TEST_CASE(tells_request_id_and_time_left_if_asked_to)
{
    options.sends_request_id = true;
    options.deadline_header = "X-Time-Left";
    http::client client(options);

    ask(client, http::get("/").with_header("X-Request-Id", "of the one before"), 1500ms);

    BOOST_TEST(peers.at(0)->written() == "GET / HTTP/1.1\r\nHost: pricing:9000\r\nX-Request-Id: the-id\r\n"
                                         "X-Time-Left: 1500\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(uses_a_connection_again)
{
    script = [](auto& peer, auto) { peer.arrive(pong); };
    http::client client(options);

    for (int i = 0; i < 3; ++i)
        BOOST_TEST(ask(client, http::get("/"))->answer.has_value());

    BOOST_TEST(peers.size() == 1u);
    BOOST_TEST(client.connections().idle == 1);
}

BOOST_AUTO_TEST_CASE(does_not_use_one_that_the_upstream_has_closed)
{
    script = [](auto& peer, auto) { peer.arrive(pong); };
    http::client client(options);
    ask(client, http::get("/"));
    peers.at(0)->end();

    const auto asked = ask(client, http::post("/", "{}")); // may not be repeated

    BOOST_TEST(asked->answer.has_value());
    BOOST_TEST(peers.size() == 2u);
    BOOST_TEST(client.counters().stale.value() == 0u);
}

BOOST_AUTO_TEST_CASE(does_not_use_one_whose_upstream_spoke_unasked)
{
    script = [](auto& peer, auto) { peer.arrive(pong); };
    http::client client(options);
    ask(client, http::get("/"));
    peers.at(0)->arrive("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");

    const auto asked = ask(client, http::get("/"));

    BOOST_TEST(asked->answer.value().body() == "pong");
    BOOST_TEST(peers.size() == 2u);
}

BOOST_AUTO_TEST_CASE(does_not_keep_one_that_is_to_be_closed_or_has_more)
{
    for (const std::string answer : {"HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 0\r\n\r\n",
                                     "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
                                     "HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\n",
                                     "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n"}) {
        peers.clear();
        http::client client(options);
        const auto asked = ask(client, http::get("/"));
        say(0, answer);

        BOOST_TEST(asked->answer.has_value(), answer);
        BOOST_TEST(peers.at(0)->is_closed, answer);
    }
}

BOOST_AUTO_TEST_CASE(reads_answers_without_a_body)
{
    script = [](auto& peer, auto) { peer.arrive("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"); };
    http::client client(options);

    BOOST_TEST(ask(client, http::head("/"))->answer.value().body() == "");
    BOOST_TEST(ask(client, http::head("/"))->answer.value().body() == "");
    BOOST_TEST(peers.size() == 1u);
}

BOOST_AUTO_TEST_CASE(passes_over_informational_answers)
{
    script = [](auto& peer, auto) {
        peer.arrive("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + pong);
    };
    http::client client(options);

    const auto asked = ask(client, http::get("/"));

    BOOST_TEST(asked->answer.value().body() == "pong");
    BOOST_TEST(asked->answer.value().header("link") == "");
}

BOOST_AUTO_TEST_CASE(connects_to_nobody_before_it_is_asked)
{
    http::client pricing{{.origin = "http://127.0.0.1:9000", .max_connections = 16}};

    runtime.run_ready();

    BOOST_TEST(pricing.connections().opened == 0u);
}

BOOST_AUTO_TEST_CASE(refuses_options_that_cannot_work)
{
    for (const char* origin :
         {"pricing:9000", "http://", "http://a/b", "http://u@a", "ftp://a", "http://a:0"}) {
        options.origin = origin;
        BOOST_CHECK_THROW(http::client{options}, heddle::config_error);
    }
    BOOST_CHECK_THROW(http::client({.max_connections = 0}), heddle::config_error);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(a_client_of_many_origins, client_fixture)

BOOST_AUTO_TEST_CASE(goes_where_the_target_says)
{
    options.origin = "";
    script = [](auto& peer, auto) { peer.arrive(pong); };
    http::client client(options);

    ask(client, http::get("http://one/a"));
    ask(client, http::get("https://TWO:8443?b"));
    const auto nowhere = ask(client, http::get("/a"));

    BOOST_TEST(peers.at(0)->to == "http://one");
    BOOST_TEST(peers.at(0)->written() == "GET /a HTTP/1.1\r\nHost: one\r\n\r\n");
    BOOST_TEST(peers.at(1)->to == "https://two:8443");
    BOOST_TEST(peers.at(1)->written() == "GET /?b HTTP/1.1\r\nHost: two:8443\r\n\r\n");
    BOOST_TEST((nowhere->failure == kind::internal));
}

BOOST_AUTO_TEST_CASE(knows_a_bounded_number_of_them)
{
    options.origin = "";
    options.max_origins = 2;
    http::client client(options);
    const auto first = ask(client, http::get("http://one/"));
    ask(client, http::get("http://two/"));

    const auto refused = ask(client, http::get("http://three/"));
    say(0, pong); // the first is idle now
    ask(client, http::get("http://three/"));

    BOOST_TEST((refused->failure == kind::overloaded));
    BOOST_TEST(first->answer.has_value());
    BOOST_TEST(peers.at(0)->is_closed);
    BOOST_TEST(peers.back()->to == "http://three");
}

BOOST_AUTO_TEST_SUITE_END()
