// Heads as RFC 9112 writes them, and what is next to that: each row with the section that decides it.
#include "http/parser.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace http = heddle::http;
using namespace std::string_literals;

namespace {

struct row
{
    std::string bytes;
    unsigned answer; // 200: it is taken
    const char* section;
};

std::ostream& operator<<(std::ostream& out, const row& r)
{
    return out << r.section << ": " << r.bytes;
}

unsigned answer_to(const std::string& head)
{
    http::request into;
    return static_cast<unsigned>(http::parse_head(head, {}, into).framing.refusal);
}

http::parsed_head parse(const std::string& fields, http::request& into, const std::string& version = "1.1")
{
    return http::parse_head("GET / HTTP/" + version + "\r\nHost: a\r\n" + fields + "\r\n", {}, into);
}

bool keeps_alive(const std::string& fields, const std::string& version = "1.1")
{
    http::request into;
    const http::parsed_head head = parse(fields, into, version);
    BOOST_TEST((head.framing.refusal == http::status::ok), fields);
    return head.keep_alive;
}

} // namespace

BOOST_AUTO_TEST_SUITE(head)

BOOST_DATA_TEST_CASE(reads_start_lines_exactly,
                     boost::unit_test::data::make(std::vector<row>{
                         {"GET / HTTP/1.1", 200, "9112 3"},
                         {"GET  / HTTP/1.1", 400, "9112 3"},
                         {"GET /  HTTP/1.1", 400, "9112 3"},
                         {"GET / HTTP/1.1 ", 400, "9112 3"},
                         {" GET / HTTP/1.1", 400, "9112 3"},
                         {"GET\t/ HTTP/1.1", 400, "9112 3"},
                         {"GET /a b HTTP/1.1", 400, "9112 3"},
                         {"GET /\x0bHTTP/1.1", 400, "9112 3"},
                         {"GET /", 400, "9112 2.3: HTTP/0.9"},
                         {"GET", 400, "9112 3"},
                         {"G\xc3\x84T / HTTP/1.1", 400, "9110 9.1"},
                         {"G(T / HTTP/1.1", 400, "9110 9.1"},
                         {"get / HTTP/1.1", 200, "9110 9.1: another method, which no route has"},
                         {"GET / http/1.1", 400, "9112 2.3"},
                         {"GET / HTTP/1.", 400, "9112 2.3"},
                         {"GET / HTTP/1.10", 400, "9112 2.3"},
                         {"GET / HTTP/11.1", 400, "9112 2.3"},
                         {"GET / HTTP/1,1", 400, "9112 2.3"},
                         {"GET / HTTP/x.1", 400, "9112 2.3"},
                         {"GET / HTTP/1.2", 200, "9110 2.5"},
                         {"GET / HTTP/0.9", 505, "9110 2.5"},
                         {"GET / HTTP/2.0", 505, "9110 2.5"},
                         {"GET / HTTP/3.0", 505, "9110 2.5"},
                         {"PRI * HTTP/2.0", 505, "9113 3.4"},
                     }))
{
    BOOST_TEST(answer_to(sample.bytes + "\r\nHost: a\r\n\r\n") == sample.answer);
}

BOOST_DATA_TEST_CASE(
    reads_fields_exactly,
    boost::unit_test::data::make(std::vector<row>{
        {"X: y", 200, "9112 5"},
        {"X:y", 200, "9112 5"},
        {"X:", 200, "9110 5.5"},
        {"X: \t y \t", 200, "9112 5.1"},
        {"X: a\tb", 200, "9110 5.5"},
        {"X: \xc3\xa4\xff", 200, "9110 5.5: obs-text"},
        {"X-!#$%&'*+.^_`|~: y", 200, "9110 5.6.2"},
        {"X : y", 400, "9112 5.1"},
        {"X\t: y", 400, "9112 5.1"},
        {": y", 400, "9110 5.1"},
        {"X", 400, "9112 5"},
        {"X y", 400, "9112 5"},
        {"X Y: z", 400, "9110 5.1"},
        {"X(Y): z", 400, "9110 5.1"},
        {"\xc3\x84: y", 400, "9110 5.1"},
        {" X: y", 400, "9112 2.2 or 5.2"},
        {"A: b\r\n c", 400, "9112 5.2"},
        {"A: b\r\n\tc", 400, "9112 5.2"},
        {"A: b\r\n \r\nC: d", 400, "9112 5.2"},
        {"Host: a\r\n b", 400, "9112 5.2"},
        {"X: a\rb", 400, "9112 2.2"},
        {"X: a\r\rY: b", 400, "9112 2.2"},
        {"X: a\nY: b", 400, "9112 2.2"},
        {"X: a\0b"s, 400, "9110 5.5"},
        {"X\0: b"s, 400, "9110 5.1"},
        {"X: a\x01", 400, "9110 5.5"},
        {"X: a\x7f", 400, "9110 5.5"},
        {"Connection: close, x", 200, "9110 7.6.1"},
        {"Connection:", 200, "9110 5.6.1.2"},
        {"Connection: , ,close,", 200, "9110 5.6.1.2"},
        {"Connection: close;now", 400, "9110 7.6.1"},
        {"Connection: \"close\"", 400, "9110 7.6.1"},
        {"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk", 200, "9110 7.8"},
        {"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13", 200, "9110 7.8"},
        {"Expect: 100-continue", 200, "9110 10.1.1"},
        {"Expect: 100-continue\r\nExpect: 100-continue", 200, "9110 10.1.1"},
        {"Expect: tea", 417, "9110 10.1.1"},
        {"Expect: tea\r\nExpect: 100-continue", 417, "9110 10.1.1"},
        {"Expect: 100-continue\r\nExpect: tea", 417, "9110 10.1.1"},
        {"Expect: 100-continue, tea", 417, "9110 10.1.1"},
        {"Transfer-Encoding: chunked, chunked", 501, "9112 6.1"},
        {"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", 400, "9112 6.1"},
        {"Transfer-Encoding: \"chunked\"", 501, "9112 6.1"},
        {"Transfer-Encoding: chunked;q=1", 501, "9112 6.1"},
        {"Transfer-Encoding: \x0b"
         "chunked",
         400, "9110 5.5"},
        {"Content-Length: 00", 200, "9110 8.6"},
        {"Content-Length: 1,1", 400, "9112 6.3"},
        {"Content-Length: 1e1", 400, "9110 8.6"},
    }))
{
    BOOST_TEST(answer_to("POST / HTTP/1.1\r\nHost: a\r\n" + sample.bytes + "\r\n\r\n") == sample.answer);
}

// RFC 9112 §2.2
BOOST_AUTO_TEST_CASE(ends_with_its_blank_line)
{
    const std::string whole = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

    BOOST_TEST(answer_to(whole) == 200u);
    for (std::size_t size = 0; size < whole.size(); ++size)
        BOOST_TEST(answer_to(whole.substr(0, size)) == 400u, size);
    BOOST_TEST(answer_to(whole + "x") == 400u);
    BOOST_TEST(answer_to("GET / HTTP/1.1\r\n X: y\r\nHost: a\r\n\r\n") == 400u);
}

// RFC 9110 §2.5
BOOST_AUTO_TEST_CASE(reads_a_later_minor_version_as_the_last_that_is_known)
{
    http::request into;

    const http::parsed_head head = parse("", into, "1.9");

    BOOST_TEST(into.version() == 11u);
    BOOST_TEST(head.keep_alive);
}

// RFC 9112 §9.3
BOOST_AUTO_TEST_CASE(stays_or_closes_as_it_is_told_in_any_case_and_line)
{
    BOOST_TEST(keeps_alive(""));
    BOOST_TEST(keeps_alive("Connection: x\r\n"));
    BOOST_TEST(keeps_alive("X: Connection, close\r\n"));
    BOOST_TEST(keeps_alive("Connection: closed, close-not\r\n"));
    BOOST_TEST(keeps_alive("Proxy-Connection: close\r\n"));
    BOOST_TEST(!keeps_alive("Connection: CLOSE\r\n"));
    BOOST_TEST(!keeps_alive("Connection: x,close\r\n"));
    BOOST_TEST(!keeps_alive("Connection: keep-alive\r\nconnection: y ,\tClose\r\n"));
    BOOST_TEST(!keeps_alive("", "1.0"));
    BOOST_TEST(!keeps_alive("Proxy-Connection: keep-alive\r\n", "1.0"));
    BOOST_TEST(keeps_alive("Connection: x, Keep-Alive\r\n", "1.0"));
    BOOST_TEST(!keeps_alive("Connection: keep-alive, close\r\n", "1.0"));
}

// RFC 9110 §8.4
BOOST_AUTO_TEST_CASE(a_second_coding_does_not_hide_the_first)
{
    const std::string length = "Content-Length: 5\r\n";
    http::request a, b;

    BOOST_TEST(
        parse(length + "Content-Encoding: gzip\r\nContent-Encoding: identity\r\n", a).framing.is_encoded);
    BOOST_TEST(
        parse(length + "Content-Encoding: identity\r\nContent-Encoding: gzip\r\n", b).framing.is_encoded);
}

BOOST_AUTO_TEST_SUITE_END()
