// Requests that ask for another protocol, another peer or another framing: one answer, and what follows is
// read as it should be or not at all.
#include "conversation.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

namespace {

std::string chunked(const std::string& chunks)
{
    return "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks;
}

bool is_refused(conversation& c, const std::string& bytes, const std::string& status)
{
    const std::string answer = c.say(bytes);
    return answer.starts_with("HTTP/1.1 " + status + " ") && count(answer, "HTTP/1.1 ") == 1 &&
           count(answer, "Connection: close\r\n") == 1 && c.last == http::exchange::next::linger &&
           c.hits == 0;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(odd_exchange, conversation)

// RFC 9113 §3.4: the rest of the preface is no request.
BOOST_AUTO_TEST_CASE(http_2_is_not_spoken)
{
    BOOST_TEST(is_refused(*this, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + get("/hit"), "505"));
}

// RFC 9110 §9.3.6: what follows might be meant for another server.
BOOST_AUTO_TEST_CASE(nobody_is_connected_to_anybody)
{
    BOOST_TEST(is_refused(*this, "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n" + get("/hit"), "501"));
}

BOOST_AUTO_TEST_CASE(a_target_that_is_none_closes)
{
    BOOST_TEST(is_refused(*this, get("/hit#x") + get("/hit"), "400"));
}

// RFC 9110 §7.8
BOOST_AUTO_TEST_CASE(an_upgrade_is_answered_as_if_it_had_not_been_asked_for)
{
    const std::string h2c =
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";
    const std::string web_socket = "Connection: Upgrade\r\nUpgrade: websocket\r\n";

    const std::string answers = say(get("/ping", h2c) + get("/ping", web_socket) + get("/hit"));

    BOOST_TEST(count(answers, "HTTP/1.1 200 OK\r\n") == 3u);
    BOOST_TEST(count(answers, "Upgrade") == 0u);
    BOOST_TEST(hits == 1);
}

// RFC 9112 §7.1.2
BOOST_AUTO_TEST_CASE(what_follows_trailers_is_the_next_request)
{
    const std::string answers =
        say(chunked("5\r\nhello\r\n0\r\nContent-Length: 100\r\nHost: b\r\nX: y\r\n\r\n") + get("/hit"));

    BOOST_TEST(count(answers, "HTTP/1.1 200 OK\r\n") == 2u);
    BOOST_TEST(answers.ends_with("\r\n\r\n1"));
}

// RFC 9112 §7.1.2
BOOST_AUTO_TEST_CASE(a_trailer_that_is_no_field_is_refused)
{
    BOOST_TEST(
        is_refused(*this, chunked("5\r\nhello\r\n0\r\nGET /hit HTTP/1.1\r\n\r\n") + get("/hit"), "400"));
}

// RFC 9112 §2.2
BOOST_AUTO_TEST_CASE(a_line_feed_alone_ends_no_line_of_a_chunk)
{
    BOOST_TEST(is_refused(*this, chunked("5\nhello\r\n0\r\n\r\n") + get("/hit"), "400"));
}

BOOST_AUTO_TEST_SUITE_END()
