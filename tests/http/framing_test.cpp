// Where heads end, and what they say about the body that follows.
#include "http/head_search.hpp"
#include "http/parser.hpp"

#define BOOST_TEST_MODULE framing
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace http = heddle::http;
using http::head_search;

namespace {

http::parsed_head parse(const std::string& head, http::request& into, const http::parse_limits& limits = {})
{
    return http::parse_head(head, limits, into);
}

http::status refusal(const std::string& fields, const std::string& start = "POST /echo HTTP/1.1")
{
    http::request into;
    return parse(start + "\r\nHost: a\r\n" + fields + "\r\n\r\n", into).framing.refusal;
}

const std::string whole = "GET /a?b=c HTTP/1.1\r\nHost: example.org\r\nX-Empty:\r\nAccept: */*\r\n\r\n";

} // namespace

BOOST_AUTO_TEST_SUITE(head_end)

BOOST_AUTO_TEST_CASE(no_prefix_of_a_head_is_complete_or_malformed)
{
    for (std::size_t size = 0; size < whole.size(); ++size)
        BOOST_TEST((http::find_head_end(whole.substr(0, size), 0).found == head_search::state::incomplete),
                   size);
}

BOOST_AUTO_TEST_CASE(is_found_in_bytes_that_come_one_by_one)
{
    std::size_t examined = 0;
    for (std::size_t size = 0; size < whole.size(); ++size)
        examined = http::find_head_end(whole.substr(0, size), examined).size;

    const head_search end = http::find_head_end(whole, examined);

    BOOST_TEST((end.found == head_search::state::complete));
    BOOST_TEST(end.size == whole.size());
}

BOOST_AUTO_TEST_CASE(does_not_take_what_follows)
{
    const head_search end = http::find_head_end(whole + whole, 0);

    BOOST_TEST(end.size == whole.size());
}

BOOST_DATA_TEST_CASE(refuses_lines_that_readers_see_differently,
                     boost::unit_test::data::make(std::vector<std::string>{
                         "GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\n\n",
                         "\nGET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
                         "GET / HTTP/1.1\r\nA:\r\n\tc\r\n\r\n", "GET / HTTP/1.1\r\nA: b\r\n\r\rGET"}))
{
    BOOST_TEST((http::find_head_end(sample, 0).found == head_search::state::malformed));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(parser)

BOOST_AUTO_TEST_CASE(fills_the_request)
{
    http::request into;

    const http::parsed_head head = parse(whole, into);

    BOOST_TEST((head.framing.refusal == http::status::ok));
    BOOST_TEST((head.framing.body == http::framing::body_kind::none));
    BOOST_TEST(head.keep_alive);
    BOOST_TEST((into.method() == http::verb::get));
    BOOST_TEST(into.target() == "/a?b=c");
    BOOST_TEST(into.version() == 11u);
    BOOST_TEST(into.header("host") == "example.org");
    BOOST_TEST(into.header("accept") == "*/*");
    BOOST_TEST(into.header_count() == 3u);
}

BOOST_AUTO_TEST_CASE(takes_the_path_out_of_an_absolute_target)
{
    http::request into;

    parse("GET http://example.org?next=/hit HTTP/1.1\r\nHost: example.org\r\n\r\n", into);
    BOOST_TEST(into.raw_path() == "/");
    BOOST_TEST(into.raw_query() == "next=/hit");
    into.clear();
    parse("GET http://example.org/a/b?c HTTP/1.1\r\nHost: example.org\r\n\r\n", into);

    BOOST_TEST(into.target() == "http://example.org/a/b?c");
    BOOST_TEST(into.raw_path() == "/a/b");
}

BOOST_AUTO_TEST_CASE(keeps_the_name_of_a_method_that_it_does_not_know)
{
    http::request into;

    parse("BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n", into);

    BOOST_TEST((into.method() == http::verb::unknown));
    BOOST_TEST(into.method_text() == "BREW");
}

BOOST_AUTO_TEST_CASE(http_1_0_goes_on_only_when_asked)
{
    http::request plain;
    http::request asked;

    BOOST_TEST(!parse("GET / HTTP/1.0\r\n\r\n", plain).keep_alive);
    BOOST_TEST(parse("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", asked).keep_alive);
}

BOOST_AUTO_TEST_CASE(close_ends_http_1_1)
{
    http::request into;

    BOOST_TEST(!parse("GET / HTTP/1.1\r\nHost: a\r\nConnection: foo, Close\r\n\r\n", into).keep_alive);
}

BOOST_AUTO_TEST_CASE(bounds_fields_and_target)
{
    std::string many;
    for (int i = 0; i < 100; ++i)
        many += "a: b\r\n";
    const http::parse_limits limits{.target = 8};
    http::request into;

    BOOST_TEST((refusal(many + "c: d") == http::status::request_header_fields_too_large));
    BOOST_TEST((parse("GET /12345678 HTTP/1.1\r\nHost: a\r\n\r\n", into, limits).framing.refusal ==
                http::status::uri_too_long));
}

BOOST_AUTO_TEST_CASE(refuses_other_versions_and_garbage)
{
    http::request a, b, c, d;

    BOOST_TEST((parse("GET / HTTP/2.0\r\nHost: a\r\n\r\n", a).framing.refusal ==
                http::status::http_version_not_supported));
    BOOST_TEST((parse("GET /\r\n\r\n", b).framing.refusal == http::status::bad_request));
    BOOST_TEST(
        (parse("GET a/b HTTP/1.1\r\nHost: a\r\n\r\n", c).framing.refusal == http::status::bad_request));
    BOOST_TEST((parse("\x16\x03\x01\r\n\r\n", d).framing.refusal == http::status::bad_request));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(body_framing)

// FAULTS F15
BOOST_DATA_TEST_CASE(refuses_ambiguous_lengths,
                     boost::unit_test::data::make(std::vector<std::string>{
                         "Content-Length: 5\r\nTransfer-Encoding: chunked",
                         "Transfer-Encoding: chunked\r\nContent-Length: 5",
                         "Content-Length: 0\r\nTransfer-Encoding: chunked",
                         "Transfer-Encoding: chunked\r\nContent-Length: 0",
                         "Transfer-Encoding: gzip\r\nContent-Length: 5",
                         "Content-Length: 5\r\nContent-Length: 6",
                         "Content-Length: 5\r\nContent-Length: 5",
                         "Content-Length: 5, 6",
                         "Content-Length: 5, 5",
                         "Content-Length: +5",
                         "Content-Length: -5",
                         "Content-Length: 0x5",
                         "Content-Length: 5 5",
                         "Content-Length:",
                         "Content-Length : 5",
                         "Transfer-Encoding : chunked",
                         "Transfer-Encoding:",
                         "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                         "Host: b",
                         "Transfer-Encoding: chunked\r\nContent-Length: 99999999999999999999"}))
{
    BOOST_TEST((refusal(sample) == http::status::bad_request));
}

// FAULTS F15
BOOST_DATA_TEST_CASE(does_not_guess_at_unknown_codings,
                     boost::unit_test::data::make(std::vector<std::string>{
                         "Transfer-Encoding: gzip", "Transfer-Encoding: chunked, gzip",
                         "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: identity",
                         "Transfer-Encoding: xchunked"}))
{
    BOOST_TEST((refusal(sample) == http::status::not_implemented));
}

// FAULTS F15
BOOST_AUTO_TEST_CASE(a_length_that_nothing_could_hold_is_too_large)
{
    BOOST_TEST((refusal("Content-Length: 18446744073709551621") == http::status::payload_too_large));
    BOOST_TEST((refusal("Content-Length: 18446744073709551615") == http::status::ok)); // limits come later
}

// FAULTS F15
BOOST_AUTO_TEST_CASE(http_1_1_needs_one_host_and_1_0_none)
{
    http::request a, b, c;

    BOOST_TEST((parse("GET / HTTP/1.1\r\n\r\n", a).framing.refusal == http::status::bad_request));
    BOOST_TEST((parse("GET / HTTP/1.0\r\n\r\n", b).framing.refusal == http::status::ok));
    BOOST_TEST((parse("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", c).framing.refusal ==
                http::status::bad_request));
}

// FAULTS F18
BOOST_AUTO_TEST_CASE(knows_one_expectation)
{
    http::request a, b, c;

    const auto known =
        parse("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-Continue\r\n\r\n", a);
    const auto unknown = parse("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: tea\r\n\r\n", b);
    const auto old = parse("POST / HTTP/1.0\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n", c);

    BOOST_TEST(known.framing.expects_continue);
    BOOST_TEST((unknown.framing.refusal == http::status::expectation_failed));
    BOOST_TEST(!old.framing.expects_continue);
}

// FAULTS F18
BOOST_AUTO_TEST_CASE(knows_packed_bodies)
{
    http::request a, b;

    BOOST_TEST(parse("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Encoding: gzip\r\n\r\n", a)
                   .framing.is_encoded);
    BOOST_TEST(
        !parse("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Encoding: Identity\r\n\r\n", b)
             .framing.is_encoded);
}

BOOST_AUTO_TEST_SUITE_END()
