// Whole conversations over a stream in memory: what a client sends, and every byte that it gets.
#include "conversation.hpp"

#define BOOST_TEST_MODULE exchange
#include <boost/test/unit_test.hpp>

#include <string>

BOOST_FIXTURE_TEST_SUITE(exchange, conversation)

BOOST_AUTO_TEST_CASE(answers_a_request_and_rests)
{
    const std::string answer = say(get("/ping"));

    BOOST_TEST(answer.starts_with("HTTP/1.1 200 OK\r\n"));
    BOOST_TEST(body_of(answer) == "pong");
    BOOST_TEST((last == http::exchange::next::rest));
    BOOST_TEST(exchange.half().bytes.empty());
}

BOOST_AUTO_TEST_CASE(keeps_half_a_head_at_every_cut)
{
    const std::string request = get("/ping");
    for (std::size_t cut = 1; cut < request.size(); ++cut) {
        BOOST_TEST(say(request.substr(0, cut)).empty(), cut);
        BOOST_TEST(exchange.half().bytes == request.substr(0, cut), cut);
        BOOST_TEST(body_of(say(request.substr(cut))) == "pong", cut);
    }
}

BOOST_AUTO_TEST_CASE(answers_pipelined_requests_in_one_piece)
{
    const std::string answers =
        say(get("/ping") + get("/hit") + post("hello", "Content-Length: 5\r\n") + get("/hit"));

    BOOST_TEST(count(answers, "HTTP/1.1 200 OK") == 4u);
    BOOST_TEST(body_of(answers.substr(answers.rfind("HTTP/1.1"))) == "2");
}

BOOST_AUTO_TEST_CASE(sends_what_is_done_before_a_handler_parks)
{
    const std::string first = say(get("/ping") + get("/slow"));
    runtime.advance(100ms);
    const std::string second = stream.take_written();

    BOOST_TEST(body_of(first) == "pong");
    BOOST_TEST(body_of(second) == "slow");
}

BOOST_AUTO_TEST_CASE(takes_an_empty_line_before_a_request)
{
    BOOST_TEST(body_of(say("\r\n" + get("/ping"))) == "pong");
}

// FAULTS F19
BOOST_AUTO_TEST_CASE(an_endless_head_is_refused_at_the_limit)
{
    const std::string answer = say(std::string(20'000, 'x'));

    BOOST_TEST(answer.starts_with("HTTP/1.1 431 "));
}

// FAULTS F15
BOOST_AUTO_TEST_CASE(what_follows_an_ambiguous_head_is_not_a_request)
{
    const std::string answer =
        say(post("", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n") + get("/hit"));

    BOOST_TEST(count(answer, "HTTP/1.1 ") == 1u);
    BOOST_TEST(answer.starts_with("HTTP/1.1 400 "));
    BOOST_TEST(hits == 0);
}

// FAULTS F17
BOOST_AUTO_TEST_CASE(no_stray_byte_after_answers_without_a_body)
{
    const std::string answers = say("HEAD /ping HTTP/1.1\r\nHost: a\r\n\r\n" + get("/none") + get("/ping"));

    const auto second = answers.find("HTTP/1.1 204");
    const auto third = answers.find("HTTP/1.1 200", second);
    BOOST_TEST(answers.substr(0, second).ends_with("\r\n\r\n"));
    BOOST_TEST(answers.substr(second, third - second).ends_with("\r\n\r\n"));
    BOOST_TEST(answers.ends_with("pong"));
}

// FAULTS F17
BOOST_AUTO_TEST_CASE(a_stream_is_chunked_or_ends_with_the_connection)
{
    const std::string chunked = say(get("/stream"));
    const std::string old = say("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");

    BOOST_TEST(body_of(chunked) == "2\r\nab\r\n1\r\nc\r\n0\r\n\r\n");
    BOOST_TEST(body_of(old) == "abc");
    BOOST_TEST((last == http::exchange::next::linger));
}

// FAULTS F22
BOOST_AUTO_TEST_CASE(a_stream_that_fails_late_has_no_end)
{
    const std::string before = say(get("/late-failure"));

    BOOST_TEST(count(before, "0\r\n\r\n") == 0u);
    BOOST_TEST((last == http::exchange::next::reset));
}

BOOST_AUTO_TEST_CASE(a_stream_that_fails_early_has_a_clean_status)
{
    const std::string answer = say(get("/early-failure"));

    BOOST_TEST(answer.starts_with("HTTP/1.1 503 "));
    BOOST_TEST(count(answer, "Retry-After: ") == 1u);
    BOOST_TEST((last == http::exchange::next::rest));
}

// FAULTS F09
BOOST_AUTO_TEST_CASE(a_reset_cancels_and_an_end_of_file_does_not)
{
    stream.arrive(get("/slow"));
    stream.end();
    go();
    runtime.advance(100ms);
    const std::string answer = stream.take_written();
    go();

    BOOST_TEST(body_of(answer) == "slow");
    BOOST_TEST((last == http::exchange::next::close));
}

// FAULTS F09
BOOST_AUTO_TEST_CASE(a_request_whose_client_has_gone_is_counted)
{
    say(get("/slow"));
    stream.reset();
    runtime.run_ready();

    BOOST_TEST((last == http::exchange::next::reset));
    BOOST_TEST(state.counters.cancelled.value() == 1u);
}

BOOST_AUTO_TEST_CASE(a_request_over_the_limit_is_refused_and_health_is_not)
{
    state.options.max_requests = 1;
    app.get("/healthz", [](const http::request&) { return "ok"; });
    state.running = 1;

    const std::string refused = say(get("/ping"));
    const std::string health = say(get("/healthz"));

    BOOST_TEST(refused.starts_with("HTTP/1.1 503 "));
    BOOST_TEST(count(refused, "Retry-After: 1") == 1u);
    BOOST_TEST(body_of(health) == "ok");
    BOOST_TEST(state.running == 1);
}

BOOST_AUTO_TEST_CASE(closes_when_asked_and_when_the_server_drains)
{
    const std::string asked = say(get("/ping", "Connection: close\r\n"));
    const auto after_asked = last;
    state.draining = true;
    const std::string drained = say(get("/ping"));

    BOOST_TEST(count(asked, "Connection: close") == 1u);
    BOOST_TEST((after_asked == http::exchange::next::close));
    BOOST_TEST(count(drained, "Connection: close") == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
