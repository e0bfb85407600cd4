// Bodies that come and go piece by piece.
#include "client_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <array>

namespace {

std::string read_some(http::body_source& from, std::size_t most = 64)
{
    std::string piece(most, '\0');
    piece.resize(from.read_some(piece));
    return piece;
}

http::response nothing()
{
    return http::response(http::status::no_content);
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(a_streamed_answer, client_fixture)

BOOST_AUTO_TEST_CASE(is_read_while_it_comes)
{
    http::client client(options);
    std::vector<std::string> pieces;
    const auto asked = start([&] {
        client.stream(http::get("/"), [&](const http::response& head, http::body_source& body) {
            pieces.push_back(std::string(head.header("x-a")));
            do
                pieces.push_back(read_some(body));
            while (!pieces.back().empty());
        });
        return nothing();
    });

    say(0, "HTTP/1.1 200 OK\r\nX-A: 1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab");
    const auto before = pieces;
    say(0, "c\r\n0\r\n\r\n");

    BOOST_TEST(before == (std::vector<std::string>{"1", "ab"}), boost::test_tools::per_element());
    BOOST_TEST(pieces == (std::vector<std::string>{"1", "ab", "c", ""}), boost::test_tools::per_element());
    BOOST_TEST(asked->answer.has_value());
    BOOST_TEST(client.connections().idle == 1);
}

// What the reader has not asked for stays with the upstream, but for one buffer.
BOOST_AUTO_TEST_CASE(is_held_back_by_a_slow_reader)
{
    http::client client(options);
    const std::string body(1'000'000, 'x');
    std::size_t left = 0;

    start([&] {
        client.stream(http::get("/"), [&](const http::response&, http::body_source& from) {
            read_some(from);
            left = peers.at(0)->wire.unread();
            while (!read_some(from, 100'000).empty()) {
            }
        });
        return nothing();
    });
    say(0, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + body);

    BOOST_TEST(left >= body.size() - options.header_limit);
    BOOST_TEST(peers.at(0)->wire.unread() == 0u);
    BOOST_TEST(client.connections().idle == 1);
}

BOOST_AUTO_TEST_CASE(costs_the_connection_when_it_is_not_read_to_its_end)
{
    script = [](auto& peer, auto) { peer.arrive(pong); };
    http::client client(options);

    start([&] {
        client.stream(http::get("/"),
                      [](const http::response&, http::body_source& body) { read_some(body, 3); });
        return nothing();
    });

    BOOST_TEST(peers.at(0)->is_closed);
}

BOOST_AUTO_TEST_CASE(fails_for_good_where_it_breaks)
{
    script = [](auto& peer, auto) {
        peer.arrive("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab");
        peer.end();
    };
    http::client client(options);
    int failures = 0;

    start([&] {
        client.stream(http::get("/"), [&](const http::response&, http::body_source& body) {
            read_some(body);
            for (int i = 0; i < 2; ++i) {
                try {
                    read_some(body);
                } catch (const heddle::error& e) {
                    failures += e.kind() == kind::upstream;
                }
            }
        });
        return nothing();
    });

    BOOST_TEST(failures == 2);
}

BOOST_AUTO_TEST_CASE(without_a_length_is_whole_only_at_an_orderly_end)
{
    script = [](auto& peer, auto) { peer.arrive("HTTP/1.1 200 OK\r\n\r\nall"); };
    http::client client(options);

    const auto whole = ask(client, http::get("/"));
    peers.at(0)->end();
    runtime.run_ready();
    const auto cut = ask(client, http::get("/"));
    peers.at(1)->reset();
    runtime.run_ready();

    BOOST_TEST(whole->answer.value().body() == "all");
    BOOST_TEST((cut->failure == kind::upstream));
    BOOST_TEST(client.connections().open == 0);
}

BOOST_AUTO_TEST_CASE(lets_nobody_ask_the_same_origin_from_inside)
{
    script = [](auto& peer, auto) { peer.arrive(pong); };
    http::client client(options);

    const auto asked = start([&] {
        client.stream(http::get("/"),
                      [&](const http::response&, http::body_source&) { client(http::get("/")); });
        return nothing();
    });

    BOOST_TEST((asked->failure == kind::internal));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(a_streamed_request, client_fixture)

BOOST_AUTO_TEST_CASE(is_sent_in_chunks)
{
    http::client client(options);

    const auto asked = start([&] {
        return client(http::request(http::verb::put, "/"), http::upload{[&](http::sink& out) {
                          out.write("abc");
                          BOOST_TEST(
                              peers.at(0)->wire.take_written() ==
                              "PUT / HTTP/1.1\r\nHost: pricing:9000\r\nTransfer-Encoding: chunked\r\n\r\n"
                              "3\r\nabc\r\n");
                          out.write("d");
                      }});
    });
    const std::string rest = peers.at(0)->written();
    say(0, pong);

    BOOST_TEST(rest == "1\r\nd\r\n0\r\n\r\n");
    BOOST_TEST(asked->answer.has_value());
    BOOST_TEST(client.connections().idle == 1);
}

BOOST_AUTO_TEST_CASE(is_sent_with_a_length_that_is_known)
{
    http::client client(options);
    const auto send = [&](std::string body) {
        return start([&client, body] {
            return client(http::request(http::verb::put, "/"),
                          http::upload{[body](http::sink& out) { out.write(body); }, 3});
        });
    };

    send("abc");
    const auto longer = send("abcd");
    const auto shorter = send("ab");

    BOOST_TEST(peers.at(0)->written() ==
               "PUT / HTTP/1.1\r\nHost: pricing:9000\r\nContent-Length: 3\r\n\r\nabc");
    BOOST_TEST((longer->failure == kind::internal));
    BOOST_TEST((shorter->failure == kind::internal));
    BOOST_TEST(peers.at(1)->is_closed);
}

// A request on its way through: what its client sends is passed on piece by piece.
BOOST_AUTO_TEST_CASE(may_be_one_whose_body_still_comes)
{
    struct letters final : http::body_source
    {
        int left = 3;
        std::size_t read_some(std::span<char> into) override
        {
            if (left == 0)
                return 0;
            into[0] = static_cast<char>('a' + --left);
            return 1;
        }
    } source;
    http::request passed_on(http::verb::put, "/");
    passed_on.set_body({.source = &source, .length = 3}, 1000);
    http::client client(options);

    start([&] { return client(passed_on); });

    BOOST_TEST(peers.at(0)->written() ==
               "PUT / HTTP/1.1\r\nHost: pricing:9000\r\nContent-Length: 3\r\n\r\ncba");
}

BOOST_AUTO_TEST_CASE(is_not_sent_again)
{
    options.retry_share = 1;
    script = [](auto& peer, std::string_view sent) {
        if (sent.ends_with("0\r\n\r\n"))
            peer.end();
    };
    http::client client(options);
    int times = 0;

    const auto asked = start([&] {
        return client(http::request(http::verb::put, "/"), http::upload{[&](http::sink&) { ++times; }});
    });

    BOOST_TEST((asked->failure == kind::upstream));
    BOOST_TEST(times == 1);
}

BOOST_AUTO_TEST_CASE(ends_with_what_its_producer_throws)
{
    http::client client(options);

    const auto asked = start([&] {
        return client(http::post("/", ""), http::upload{[](http::sink& out) {
                          out.write("a");
                          throw heddle::error(kind::value, "mine");
                      }});
    });

    BOOST_TEST((asked->failure == kind::value));
    BOOST_TEST(asked->what == "mine");
    BOOST_TEST(peers.at(0)->is_closed);
}

// What the producer reads from may be another connection.
BOOST_AUTO_TEST_CASE(ends_with_its_producers_broken_connection_which_is_not_the_origins)
{
    http::client client(options);
    const auto asked = start([&] {
        return client(http::post("/", ""),
                      {.produce = [](http::sink&) { throw heddle::net::broken("another's"); }});
    });
    BOOST_TEST(asked->what == "another's");
    BOOST_TEST(client.counters().failed.value() == 0u);
}

// Nobody knows how much of the failed piece has arrived.
BOOST_AUTO_TEST_CASE(is_not_continued_behind_a_piece_that_failed)
{
    http::client client(options);
    const auto produce = [&](http::sink& to) {
        peers.at(0)->takes_no_more = true;
        try {
            to.write("one");
        } catch (const heddle::net::broken&) {
        }
        peers.at(0)->takes_no_more = false;
        to.write("two");
    };
    const auto asked = start([&] { return client(http::post("/", ""), {.produce = produce}); });
    peers.at(0)->end();
    runtime.run_ready();
    BOOST_TEST(peers.at(0)->written() == "");
    BOOST_TEST((asked->failure == kind::upstream));
    BOOST_TEST(client.counters().failed.value() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
