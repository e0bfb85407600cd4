// Conversations about bodies: how they are cut, how large they are, and when they come.
#include "conversation.hpp"
#include "http/gzip.hpp"

#include <heddle/fiber/all.hpp>
#include <heddle/http/middleware.hpp>

#include <boost/test/unit_test.hpp>

#include <array>
#include <optional>
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

BOOST_FIXTURE_TEST_SUITE(exchange_body, conversation)

BOOST_AUTO_TEST_CASE(reads_a_sized_body_however_it_is_cut)
{
    stream.deliver_at_most(1);

    BOOST_TEST(body_of(say(post("hello", "Content-Length: 5\r\n"))) == "hello");
}

BOOST_AUTO_TEST_CASE(reads_a_chunked_body_however_it_is_cut)
{
    stream.deliver_at_most(1);

    BOOST_TEST(body_of(say(post("2\r\nhe\r\n3;x\r\nllo\r\n0\r\n\r\n", "Transfer-Encoding: chunked\r\n"))) ==
               "hello");
}

// FAULTS F18
BOOST_AUTO_TEST_CASE(refuses_a_body_that_is_too_large_before_it_comes)
{
    const std::string answer = say(post("", "Content-Length: 1001\r\nExpect: 100-continue\r\n"));

    BOOST_TEST(answer.starts_with("HTTP/1.1 413 "));
    BOOST_TEST(count(answer, "100 Continue") == 0u);
    BOOST_TEST(count(answer, "Connection: close") == 1u);
    BOOST_TEST((last == http::exchange::next::linger));
}

// FAULTS F18
BOOST_AUTO_TEST_CASE(refuses_a_chunked_body_when_it_has_become_too_large)
{
    const std::string chunk = "190\r\n" + std::string(400, 'x') + "\r\n";

    const std::string answer = say(post(chunk + chunk + chunk, "Transfer-Encoding: chunked\r\n"));

    BOOST_TEST(answer.starts_with("HTTP/1.1 413 "));
}

// FAULTS F18
BOOST_AUTO_TEST_CASE(takes_a_body_of_exactly_the_limit)
{
    BOOST_TEST(body_of(say(post(std::string(1000, 'x'), "Content-Length: 1000\r\n"))).size() == 1000u);
}

// FAULTS F18
BOOST_AUTO_TEST_CASE(says_100_only_while_the_body_is_waited_for)
{
    const std::string early = say(post("", "Content-Length: 5\r\nExpect: 100-continue\r\n"));
    stream.arrive("hello");
    runtime.run_ready();
    const std::string answer = stream.take_written();
    const std::string at_once = say(post("hello", "Content-Length: 5\r\nExpect: 100-continue\r\n"));

    BOOST_TEST(early == "HTTP/1.1 100 Continue\r\n\r\n");
    BOOST_TEST(body_of(answer) == "hello");
    BOOST_TEST(at_once.starts_with("HTTP/1.1 200"));
}

// FAULTS F19
BOOST_AUTO_TEST_CASE(a_slow_body_ends_with_the_budget)
{
    say(post("he", "Content-Length: 5\r\n"));
    runtime.advance(1s);

    BOOST_TEST(stream.written().starts_with("HTTP/1.1 408 "));
    BOOST_TEST((last == http::exchange::next::linger));
}

// FAULTS F19: the server's one place is for those who are not waited for.
BOOST_AUTO_TEST_CASE(a_slow_body_keeps_nobody_out)
{
    state.options.max_requests = 1;
    heddle::testing::memory_stream other_stream;
    http::exchange other{16 * 1024};
    other.begin(other_stream, service, "127.0.0.1:2", {});
    say(post("he", "Content-Length: 5\r\n"));
    other_stream.arrive(get("/ping"));
    runtime.spawn([&] { other.step(); });
    runtime.run_ready();
    const std::int64_t running = state.running;
    stream.arrive("llo");
    runtime.run_ready();

    BOOST_TEST(running == 0);
    BOOST_TEST(other_stream.written().starts_with("HTTP/1.1 200 "));
    BOOST_TEST(body_of(stream.written()) == "hello");
    BOOST_TEST(state.running == 0);
    other.end();
}

// The client takes ten bytes of the first answer, then nothing; its second request's time goes by meanwhile.
BOOST_AUTO_TEST_CASE(nothing_is_sent_behind_half_an_answer)
{
    stream.make_room(10);
    say(get("/ping") + post("he", "Content-Length: 5\r\n"));
    runtime.advance(1s);
    stream.make_room(10'000);
    runtime.run_ready();

    BOOST_TEST(stream.written().size() == 0u); // ten bytes were taken above
    BOOST_TEST((last == http::exchange::next::close));
}

// The same, and the handler does not care.
BOOST_AUTO_TEST_CASE(nor_by_a_handler_that_goes_on_without_the_body)
{
    app.post("/careless", [](const http::request& req) {
        try {
            req.body();
        } catch (const std::exception&) {
        }
        return "careless";
    });
    stream.make_room(10);
    say(get("/ping") + "POST /careless HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe");
    runtime.advance(1s);
    stream.make_room(10'000);
    runtime.run_ready();

    BOOST_TEST(stream.written().size() == 0u);
    BOOST_TEST((last == http::exchange::next::close));
}

// FAULTS F16
BOOST_AUTO_TEST_CASE(a_body_that_nobody_wanted_is_not_a_request)
{
    const std::string body = get("/hit") + std::string(500, 'x');

    const std::string answers =
        say("POST /no-such HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
            "\r\n\r\n" + body + get("/ping"));

    BOOST_TEST(answers.starts_with("HTTP/1.1 404 "));
    BOOST_TEST(answers.ends_with("pong"));
    BOOST_TEST(hits == 0);
}

// FAULTS F16: more than is worth reading is left, and the connection ends.
BOOST_AUTO_TEST_CASE(a_large_body_that_nobody_wanted_ends_the_connection)
{
    const std::string answers =
        say("POST /no-such HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + get("/hit"));

    BOOST_TEST(answers.starts_with("HTTP/1.1 404 "));
    BOOST_TEST(count(answers, "Connection: close") == 1u);
    BOOST_TEST((last == http::exchange::next::linger));
    BOOST_TEST(hits == 0);
}

// FAULTS F16
BOOST_AUTO_TEST_CASE(the_rest_of_a_small_body_that_nobody_wanted_is_waited_for)
{
    const std::string early = say("POST /no-such HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nGET /");
    stream.arrive("hit H" + get("/ping"));
    runtime.run_ready();
    const std::string next = stream.take_written();

    BOOST_TEST(early.starts_with("HTTP/1.1 404 "));
    BOOST_TEST(count(early, "Connection: close") == 0u);
    BOOST_TEST(body_of(next) == "pong");
}

// Source: RFC 9110 section 10.1.1: such a client may send the body or not.
BOOST_AUTO_TEST_CASE(a_client_that_was_not_asked_for_its_body_is_not_waited_for)
{
    const std::string answer =
        say("POST /no-such HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n");

    BOOST_TEST(answer.starts_with("HTTP/1.1 404 "));
    BOOST_TEST(count(answer, "Connection: close") == 1u);
}

// FAULTS F18
BOOST_AUTO_TEST_CASE(does_not_take_packed_bodies_unless_asked_to)
{
    BOOST_TEST(
        say(post("12345", "Content-Length: 5\r\nContent-Encoding: gzip\r\n")).starts_with("HTTP/1.1 415 "));
    BOOST_TEST(body_of(say(post("12345", "Content-Length: 5\r\nContent-Encoding: identity\r\n"))) == "12345");
}

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

// A large piece is read straight into the handler's memory, with nothing of what is behind it.
BOOST_AUTO_TEST_CASE(a_request_behind_a_large_body_is_not_left_lying)
{
    app.post("/large", [](const http::request& req) {
        req.set_body_limit(100'000);
        std::string piece(64 * 1024, '\0');
        while (req.read_body(piece) > 0) {
        }
        return "large";
    });
    say("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 40000\r\n\r\n");
    std::optional<http::exchange::next> after_first;
    last.reset();
    stream.arrive(std::string(40'000, 'x') + get("/ping"));
    for (int i = 0; i != 10 && !after_first; ++i) {
        runtime.run_ready();
        after_first = last;
    }

    BOOST_TEST(count(stream.written(), "HTTP/1.1 200 ") == 2u);
    BOOST_TEST(body_of(stream.take_written()).ends_with("pong"));
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
