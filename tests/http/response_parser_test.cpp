// Heads of answers: what is read, and what is refused.
#include "http/response_parser.hpp"

#include <heddle/base/error.hpp>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace http = heddle::http;
using body_kind = http::received_head::body_kind;

namespace {

http::received_head parse(std::string_view lines, bool asked_for_head = false)
{
    return http::parse_response_head(std::string(lines) + "\r\n", asked_for_head, 5);
}

struct framed
{
    std::string lines;
    bool asked_for_head;
    body_kind body;
    std::uint64_t length;
    bool keep_alive;
};

std::ostream& operator<<(std::ostream& out, const framed& f)
{
    return out << f.lines << (f.asked_for_head ? " (HEAD)" : "");
}

const std::string ok = "HTTP/1.1 200 OK\r\n";
const std::string old = "HTTP/1.0 200 OK\r\n";

// Source: RFC 9112 sections 6.3 and 9.3.
const std::vector<framed> ends{
    {ok + "Content-Length: 5\r\n", false, body_kind::sized, 5, true},
    {ok + "Content-Length: 0\r\n", false, body_kind::none, 0, true},
    {ok + "Content-Length: 5\r\n", true, body_kind::none, 0, true},
    {ok + "Transfer-Encoding: Chunked\r\n", false, body_kind::chunked, 0, true},
    {ok + "Transfer-Encoding: chunked\r\n", true, body_kind::none, 0, true},
    {ok, false, body_kind::until_close, 0, false},
    {old + "Content-Length: 5\r\n", false, body_kind::sized, 5, false},
    {old + "Content-Length: 5\r\nConnection: Keep-Alive\r\n", false, body_kind::sized, 5, true},
    {ok + "Content-Length: 5\r\nConnection: a\r\nConnection: b, CLOSE\r\n", false, body_kind::sized, 5,
     false},
    {"HTTP/1.1 204 No Content\r\n", false, body_kind::none, 0, true},
    {"HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n", false, body_kind::none, 0, false},
    {"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n", false, body_kind::none, 0, false},
    {"HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n", false, body_kind::none, 0, true},
    {"HTTP/1.1 100 Continue\r\n", false, body_kind::none, 0, true},
};

const std::vector<std::string> malformed{
    "HTTP/2.0 200 OK\r\n",
    "HTTP/1.2 200 OK\r\n",
    "HTTP/1.1 20 OK\r\n",
    "HTTP/1.1 2000 OK\r\n",
    "HTTP/1.1 099 Low\r\n",
    "HTTP/1.1 600 High\r\n",
    "HTTP/1.1  200 OK\r\n",
    "http/1.1 200 OK\r\n",
    "200 OK\r\n",
    ok + "Content-Length: 5\r\nContent-Length: 5\r\n",
    ok + "Content-Length: 5, 5\r\n",
    ok + "Content-Length: +5\r\n",
    ok + "Content-Length: 5x\r\n",
    ok + "Content-Length:\r\n",
    ok + "Content-Length: 18446744073709551616\r\n",
    ok + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
    ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
    ok + "Transfer-Encoding: gzip, chunked\r\n",
    ok + "Transfer-Encoding: identity\r\n",
    old + "Transfer-Encoding: chunked\r\n",
    ok + "No colon\r\n",
    ok + "Name : with a space\r\n",
    ok + ": no name\r\n",
    ok + std::string("A: b\0c\r\n", 8),
    ok + "A: 1\r\nA: 2\r\nA: 3\r\nA: 4\r\nA: 5\r\nA: 6\r\n",
};

} // namespace

BOOST_AUTO_TEST_SUITE(the_head_of_an_answer)

BOOST_DATA_TEST_CASE(says_where_the_body_ends, boost::unit_test::data::make(ends))
{
    const http::received_head head = parse(sample.lines, sample.asked_for_head);

    BOOST_TEST((head.body == sample.body));
    BOOST_TEST(head.length == sample.length);
    BOOST_TEST(head.keep_alive == sample.keep_alive);
}

BOOST_DATA_TEST_CASE(is_refused_when_two_could_read_it_differently, boost::unit_test::data::make(malformed))
{
    BOOST_CHECK_EXCEPTION(parse(sample), heddle::error,
                          [](const auto& e) { return e.kind() == heddle::kind::upstream; });
}

BOOST_AUTO_TEST_CASE(is_refused_wherever_it_is_cut)
{
    const std::string whole = ok + "A: b\r\nContent-Length: 5\r\n\r\n";
    for (std::size_t size = 0; size < whole.size(); ++size)
        BOOST_CHECK_THROW(http::parse_response_head(whole.substr(0, size), false, 5), heddle::error);
}

BOOST_AUTO_TEST_CASE(keeps_the_fields_that_are_not_for_one_connection)
{
    const auto head =
        parse(ok + "Set-Cookie: a\r\nConnection: x-hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nSet-Cookie: b\r\n");

    BOOST_TEST(head.answer.header_lines() == "Set-Cookie: a\r\nSet-Cookie: b\r\n");
}

BOOST_AUTO_TEST_SUITE_END()
