// Conversations about bodies: how they are cut, how large they are, and when they come.
#include "conversation.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

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

BOOST_AUTO_TEST_SUITE_END()
