// Answers' heads: what is said about the body depends on the status, the method and the client's version.
#include "http/date.hpp"
#include "http/head_writer.hpp"

#define BOOST_TEST_MODULE head_writer
#include <boost/test/unit_test.hpp>

#include <string>

namespace http = heddle::http;

namespace {

std::string head(const http::response& answer, const http::asker& client)
{
    std::string out;
    http::append_head(out, answer, client, http::frame_answer(answer, client));
    return out;
}

bool has(const std::string& head, const std::string& line)
{
    return head.find("\r\n" + line + "\r\n") != std::string::npos;
}

bool names(const std::string& head, const std::string& field)
{
    return head.find("\r\n" + field + ":") != std::string::npos;
}

const http::response hello(http::status::ok, "text/plain", "hello");

} // namespace

BOOST_AUTO_TEST_SUITE(head_writer)

BOOST_AUTO_TEST_CASE(writes_one_exact_head)
{
    std::string out = head(hello, {});

    const auto date = out.find("Date: ");
    out.erase(date, out.find("\r\n", date) + 2 - date);
    BOOST_TEST(out ==
               "HTTP/1.1 200 OK\r\nServer: heddle\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(names_the_status)
{
    BOOST_TEST(head(http::response(http::status::not_found), {}).starts_with("HTTP/1.1 404 Not Found\r\n"));
}

// FAULTS F17
BOOST_AUTO_TEST_CASE(head_has_the_length_and_no_body)
{
    const http::asker client{.is_head = true};

    BOOST_TEST(has(head(hello, client), "Content-Length: 5"));
    BOOST_TEST(!http::frame_answer(hello, client).sends_body);
}

// FAULTS F17
BOOST_AUTO_TEST_CASE(no_word_about_a_body_that_cannot_be)
{
    for (const auto status : {http::status::no_content, http::status::not_modified}) {
        const std::string out = head(http::response(status), {});
        BOOST_TEST(!names(out, "Content-Length"));
        BOOST_TEST(!names(out, "Transfer-Encoding"));
    }
}

BOOST_AUTO_TEST_CASE(an_empty_body_has_length_0)
{
    BOOST_TEST(has(head(http::response(http::status::ok), {}), "Content-Length: 0"));
}

// FAULTS F17
BOOST_AUTO_TEST_CASE(a_stream_is_chunked_for_http_1_1_only)
{
    const auto streamed = http::stream("text/plain", [](http::sink&) {});

    const std::string current = head(streamed, {});
    const std::string old = head(streamed, {.version = 10, .keep_alive = true});

    BOOST_TEST(has(current, "Transfer-Encoding: chunked"));
    BOOST_TEST(!names(current, "Connection"));
    BOOST_TEST(!names(old, "Transfer-Encoding"));
    BOOST_TEST(has(old, "Connection: close"));
}

// FAULTS F17
BOOST_AUTO_TEST_CASE(http_1_0_is_told_when_the_connection_stays)
{
    BOOST_TEST(has(head(hello, {.version = 10, .keep_alive = true}), "Connection: keep-alive"));
    BOOST_TEST(has(head(hello, {.version = 10, .keep_alive = false}), "Connection: close"));
}

BOOST_AUTO_TEST_CASE(an_answer_can_close)
{
    http::response answer = hello;
    answer.set_close();

    BOOST_TEST(has(head(answer, {}), "Connection: close"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(date)

BOOST_AUTO_TEST_CASE(is_written_as_the_standard_has_it)
{
    BOOST_TEST(http::format_date(784111777) == "Sun, 06 Nov 1994 08:49:37 GMT");
    BOOST_TEST(http::format_date(951827696) == "Tue, 29 Feb 2000 12:34:56 GMT");
}

BOOST_AUTO_TEST_SUITE_END()
