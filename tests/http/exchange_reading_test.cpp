// Conversations about bodies that handlers read as they like: in pieces, in part, while they answer, or not
// at all.
#include "conversation.hpp"
#include "http/gzip.hpp"

#include <heddle/fiber/all.hpp>
#include <heddle/http/middleware.hpp>

#include <boost/test/unit_test.hpp>

#include <array>
#include <string>

namespace {

std::string gzip(const std::string& plain)
{
    std::string out;
    http::gzip_deflater deflater(6);
    deflater.write(plain, out);
    deflater.finish(out);
    return out;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(exchange_reading, conversation)

BOOST_AUTO_TEST_CASE(a_handler_that_does_not_look_at_the_body_answers_before_it_comes)
{
    app.post("/early", [](const http::request&) { return "early"; });

    const std::string answer = say("POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n");
    stream.arrive("0123456789");
    runtime.run_ready();

    BOOST_TEST(body_of(answer) == "early");
    BOOST_TEST((last == http::exchange::next::rest));
}

// What is not asked for stays with the client: that is all there is to back-pressure.
BOOST_AUTO_TEST_CASE(a_body_is_read_in_pieces_as_fast_as_the_handler_wants)
{
    std::size_t taken = 0;
    app.post("/slowly", [&](const http::request& req) {
        req.set_body_limit(10'000'000);
        std::array<char, 4096> piece;
        while (const std::size_t count = req.read_body(piece)) {
            taken += count;
            heddle::fiber::sleep_for(1ms);
        }
        return std::to_string(taken);
    });

    say("POST /slowly HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n" + std::string(1'000'000, 'x'));
    const std::size_t at_first = taken;
    const std::size_t waiting = stream.unread();
    for (int i = 0; i != 300; ++i)
        runtime.advance(1ms);

    BOOST_TEST(at_first == 4096u);
    BOOST_TEST(waiting > 950'000u);
    BOOST_TEST(body_of(stream.written()) == "1000000");
}

// A large piece is read straight into the handler's memory, with nothing of what is behind it: that lies in
// the stream, whose news of it are spent.
BOOST_AUTO_TEST_CASE(a_request_behind_a_large_body_is_not_left_lying)
{
    app.post("/large", [](const http::request& req) {
        req.set_body_limit(100'000);
        std::string piece(64 * 1024, '\0');
        while (req.read_body(piece) > 0) {
        }
        return "large";
    });
    stream.arrive("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 40000\r\n\r\n");
    runtime.spawn([this] { last = exchange.step(); }); // one step: whoever rests is not asked again
    runtime.run_ready();
    stream.arrive(std::string(40'000, 'x') + get("/ping"));
    runtime.run_ready();

    BOOST_TEST(body_of(stream.take_written()) == "large");
    BOOST_TEST((last == http::exchange::next::again));
}

// It was our own doing that the body is not read on: the client is there, and waits.
BOOST_AUTO_TEST_CASE(who_ends_the_reading_of_a_body_can_still_answer)
{
    app.post("/checked", [](const http::request& req) -> std::string {
        heddle::fiber::all([&] { req.body(); },
                           []() -> void { throw http::rejected(http::problem::conflict("checked")); });
        return "not reached";
    });

    const std::string answer = say("POST /checked HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe");

    BOOST_TEST(answer.starts_with("HTTP/1.1 409 "));
    BOOST_TEST(count(answer, "Connection: close") == 1u);
}

// The client is told the same again, and not that it has gone.
BOOST_AUTO_TEST_CASE(a_malformed_body_stays_malformed)
{
    app.post("/stubborn", [](const http::request& req) {
        try {
            req.body();
        } catch (const http::rejected&) {
        }
        return std::string(req.body());
    });

    BOOST_TEST(say("POST /stubborn HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n")
                   .starts_with("HTTP/1.1 400 "));
}

// A part of the first piece is gone when the producer's time to send it is over: nothing may come behind it.
BOOST_AUTO_TEST_CASE(a_producer_that_goes_on_after_a_failed_write_sends_nothing_more)
{
    app.get("/obstinate", [](const http::request&) {
        return http::stream("text/plain", [](http::sink& out) {
            for (int i = 0; i != 3; ++i) {
                try {
                    out.write(std::string(40'000, static_cast<char>('a' + i)));
                } catch (const std::exception&) {
                }
            }
        });
    });
    stream.make_room(10'000);
    say(get("/obstinate"));
    runtime.advance(1s);
    stream.make_room(1'000'000);
    runtime.run_ready();

    BOOST_TEST(count(stream.written(), "b") == 0u);
    BOOST_TEST(count(stream.written(), "HTTP/1.1") == 0u); // it was taken above, and is not sent twice
    BOOST_TEST((last == http::exchange::next::reset));
}

BOOST_AUTO_TEST_CASE(a_resource_of_https_is_not_given_away_in_plain)
{
    BOOST_TEST(say("GET https://a/ping HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("HTTP/1.1 421 "));
    BOOST_TEST(body_of(say("GET http://a/ping HTTP/1.1\r\nHost: a\r\n\r\n")) == "pong");
}

BOOST_AUTO_TEST_CASE(a_route_has_a_body_limit_of_its_own)
{
    const auto echo = [](const http::request& req) { return std::string(req.body()); };
    app.post("/large", http::chain({http::body_limit(2000)}, echo));
    app.post("/small", http::chain({http::body_limit(10)}, echo));
    const auto send = [&](const std::string& target, std::size_t size) {
        return say("POST " + target + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(size) +
                   "\r\n\r\n" + std::string(size, 'x'));
    };

    BOOST_TEST(body_of(send("/large", 2000)).size() == 2000u);
    BOOST_TEST(send("/large", 2001).starts_with("HTTP/1.1 413 "));
    BOOST_TEST(body_of(send("/small", 10)).size() == 10u);
    BOOST_TEST(send("/small", 11).starts_with("HTTP/1.1 413 "));
}

BOOST_AUTO_TEST_CASE(packed_bodies_are_unpacked_where_that_is_wanted)
{
    const auto echo = [](const http::request& req) { return std::string(req.body()); };
    app.post("/unpack", http::chain({http::body_limit(3000), http::decompression()}, echo));
    const auto send = [&](const std::string& body, const std::string& coding) {
        return say("POST /unpack HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
                   "\r\nContent-Encoding: " + coding + "\r\n\r\n" + body);
    };
    const std::string packed = gzip(std::string(3000, 'x'));

    BOOST_TEST(body_of(send(packed, "gzip")) == std::string(3000, 'x'));
    BOOST_TEST(body_of(send(packed, "X-GZip")) == std::string(3000, 'x'));
    BOOST_TEST(body_of(send("plain", "identity")) == "plain");
    BOOST_TEST(app(http::post("/unpack", packed).with_header("Content-Encoding", "gzip")).body() ==
               std::string(3000, 'x'));                                                  // without a wire
    BOOST_TEST(send(gzip(std::string(3001, 'x')), "gzip").starts_with("HTTP/1.1 413 ")); // FAULTS F18
    BOOST_TEST(send(packed.substr(0, packed.size() - 1), "gzip").starts_with("HTTP/1.1 400 "));
    BOOST_TEST(send("plain", "gzip").starts_with("HTTP/1.1 400 "));
    BOOST_TEST(send(packed, "gzip\r\nContent-Encoding: br").starts_with("HTTP/1.1 415 "));
    const std::string refused = send("plain", "br");
    BOOST_TEST(refused.starts_with("HTTP/1.1 415 "));
    BOOST_TEST(count(refused, "Accept-Encoding: gzip\r\n") == 1u);
}

// Both directions at once, as a proxy or a converter needs it.
BOOST_AUTO_TEST_CASE(a_stream_may_be_made_of_the_body_while_it_comes)
{
    app.post("/copy", [](const http::request& req) {
        return http::stream("text/plain", [&req](http::sink& out) {
            std::array<char, 64> piece;
            while (const std::size_t count = req.read_body(piece))
                out.write({piece.data(), count});
        });
    });

    const std::string first =
        say("POST /copy HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
    stream.arrive("6\r\n world\r\n0\r\n\r\n");
    runtime.run_ready();
    const std::string second = stream.take_written();

    BOOST_TEST(body_of(first) == "5\r\nhello\r\n");
    BOOST_TEST(second == "6\r\n world\r\n0\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(a_body_that_was_read_in_part_is_not_taken_for_whole)
{
    app.post("/both", [](const http::request& req) {
        std::array<char, 2> piece;
        req.read_body(piece);
        return std::string(req.body());
    });

    BOOST_TEST(
        say("POST /both HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello").starts_with("HTTP/1.1 500 "));
}

BOOST_AUTO_TEST_CASE(a_body_can_be_asked_for_twice)
{
    app.post("/twice",
             [](const http::request& req) { return std::string(req.body()) + std::string(req.body()); });

    BOOST_TEST(body_of(say("POST /twice HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab")) == "abab");
}

// Half a body is nobody's: neither answered, nor taken for whole.
BOOST_AUTO_TEST_CASE(a_client_that_ends_within_the_body_gets_no_answer)
{
    say(post("he", "Content-Length: 5\r\n"));
    stream.end();
    runtime.run_ready();

    BOOST_TEST(stream.written().empty());
    BOOST_TEST((last == http::exchange::next::close));
}

BOOST_AUTO_TEST_SUITE_END()
