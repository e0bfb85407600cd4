// Targets and hosts: which are taken, and what is made of them. Each row with the section that decides it.
#include "http/parser.hpp"
#include "http/target.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <ostream>
#include <string>
#include <vector>

namespace http = heddle::http;
using namespace std::string_literals;

namespace {

struct asked
{
    std::string line; // method and target
    unsigned answer;  // 200: it is taken
    const char* section;
};

std::ostream& operator<<(std::ostream& out, const asked& a)
{
    return out << a.section << ": " << a.line;
}

struct named
{
    std::string host;
    bool is_good;
    const char* section;
};

std::ostream& operator<<(std::ostream& out, const named& n)
{
    return out << n.section << ": " << n.host;
}

unsigned answer_to(const std::string& head, http::request& into)
{
    into.clear();
    return static_cast<unsigned>(http::parse_head(head, {}, into).framing.refusal);
}

} // namespace

BOOST_AUTO_TEST_SUITE(target)

BOOST_DATA_TEST_CASE(is_one_of_the_forms_for_its_method,
                     boost::unit_test::data::make(std::vector<asked>{
                         {"GET /", 200, "9112 3.2.1"},
                         {"GET /a/b?c=d&e", 200, "9112 3.2.1"},
                         {"GET //a", 200, "9112 3.2.1"},
                         {"GET /?a=\"<>^`{|}", 200, "3986 2: no byte of a URI, and sent by browsers"},
                         {"GET /%00", 200, "3986 2.1: refused where it is decoded"},
                         {"GET a", 400, "9112 3.2"},
                         {"GET ?a", 400, "9112 3.2"},
                         {"GET ../a", 400, "9112 3.2"},
                         {"GET /#", 400, "9112 3.2"},
                         {"GET /a?b#c", 400, "9112 3.2"},
                         {"GET /a\\b", 400, "3986 2"},
                         {"GET \\a", 400, "3986 2"},
                         {"GET /\xc3\xa4", 400, "3986 2"},
                         {"GET /\xff", 400, "3986 2"},
                         {"GET /a\tb", 400, "9112 3.2"},
                         {"GET /a\rb", 400, "9112 2.2"},
                         {"GET /a\x01", 400, "9112 3.2"},
                         {"GET /a\x7f", 400, "9112 3.2"},
                         {"GET /a\0b"s, 400, "9112 3.2"},
                         {"GET http://a/b", 200, "9112 3.2.2"},
                         {"GET HTTPS://a:443/b", 200, "9112 3.2.2"},
                         {"GET http://a", 200, "9112 3.2.2"},
                         {"GET http://a?b", 200, "9112 3.2.2"},
                         {"GET http://[::1]:8080/b", 200, "9112 3.2.2"},
                         {"GET http:///b", 400, "9110 4.2.1"},
                         {"GET http://", 400, "9110 4.2.1"},
                         {"GET http://:80/b", 400, "9110 4.2.1"},
                         {"GET http://u@a/b", 400, "9110 4.2.4"},
                         {"GET http://u:p@a/b", 400, "9110 4.2.4"},
                         {"GET http://a:x/b", 400, "3986 3.2.3"},
                         {"GET http://a#b", 400, "9112 3.2"},
                         {"GET http:/a", 400, "9112 3.2.2"},
                         {"GET http:a", 400, "9112 3.2.2"},
                         {"GET ftp://a/b", 400, "9112 3.2.2"},
                         {"GET file:///etc/passwd", 400, "9112 3.2.2"},
                         {"GET javascript:a", 400, "9112 3.2.2"},
                         {"OPTIONS *", 200, "9112 3.2.4"},
                         {"OPTIONS http://a", 200, "9112 3.2.4"},
                         {"GET *", 400, "9112 3.2.4"},
                         {"OPTIONS *a", 400, "9112 3.2.4"},
                         {"OPTIONS */", 400, "9112 3.2.4"},
                         {"CONNECT a:443", 501, "9112 3.2.3"},
                         {"CONNECT /", 501, "9110 9.3.6"},
                         {"GET a:443", 400, "9112 3.2.3"},
                         {"GET /a:443", 200, "9112 3.2.1"},
                     }))
{
    http::request into;
    BOOST_TEST(answer_to(sample.line + " HTTP/1.1\r\nHost: h\r\n\r\n", into) == sample.answer);
}

BOOST_DATA_TEST_CASE(hosts_are_names_or_addresses,
                     boost::unit_test::data::make(std::vector<named>{
                         {"example.org", true, "9110 7.2"},
                         {"EXAMPLE.org.", true, "9110 7.2"},
                         {"a_b-c~d", true, "3986 3.2.2"},
                         {"a%20b", true, "3986 3.2.2"},
                         {"127.0.0.1:80", true, "3986 3.2.2"},
                         {"a:", true, "3986 3.2.3"},
                         {"a:0", true, "3986 3.2.3"},
                         {"a:65535", true, "3986 3.2.3"},
                         {"[::1]", true, "3986 3.2.2"},
                         {"[2001:db8::ffff:192.0.2.1]:443", true, "3986 3.2.2"},
                         {"a:65536", false, "3986 3.2.3"},
                         {"a:99999999999999999999", false, "3986 3.2.3"},
                         {"a:+1", false, "3986 3.2.3"},
                         {"a:-1", false, "3986 3.2.3"},
                         {"a:8x", false, "3986 3.2.3"},
                         {"a:80:80", false, "3986 3.2.3"},
                         {":80", false, "9110 4.2.1"},
                         {"a b", false, "3986 3.2.2"},
                         {"a\tb", false, "3986 3.2.2"},
                         {"a/b", false, "3986 3.2.2"},
                         {"a\\b", false, "3986 3.2.2"},
                         {"a?b", false, "3986 3.2.2"},
                         {"a#b", false, "3986 3.2.2"},
                         {"u@a", false, "9110 7.2"},
                         {"http://a", false, "9110 7.2"},
                         {"a%2", false, "3986 2.1"},
                         {"a%zz", false, "3986 2.1"},
                         {"a\"b", false, "3986 3.2.2"},
                         {"<a>", false, "3986 3.2.2"},
                         {"\xc3\xa4.org", false, "3986 3.2.2"},
                         {"::1", false, "3986 3.2.2"},
                         {"[::1", false, "3986 3.2.2"},
                         {"[]", false, "3986 3.2.2"},
                         {"[::1]80", false, "3986 3.2.2"},
                         {"[::1]:x", false, "3986 3.2.3"},
                         {"[fe80::1%25eth0]", false, "9844 3: a zone is of one machine only"},
                         {"[v1.a]", false, "3986 3.2.2: no such address is in use"},
                         {"[127.0.0.1]", false, "3986 3.2.2"},
                         {"[" + std::string(100, ':') + "]", false, "3986 3.2.2"},
                     }))
{
    http::request into;
    BOOST_TEST(http::is_authority(sample.host) == sample.is_good);
    BOOST_TEST(answer_to("GET / HTTP/1.1\r\nHost: " + sample.host + "\r\n\r\n", into) ==
               (sample.is_good ? 200u : 400u));
}

// RFC 9112 §3.2
BOOST_AUTO_TEST_CASE(a_host_is_sent_once_and_empty_only_where_there_is_none)
{
    http::request into;

    BOOST_TEST(answer_to("GET / HTTP/1.1\r\n\r\n", into) == 400u);
    BOOST_TEST(answer_to("GET http://a/ HTTP/1.1\r\n\r\n", into) == 400u);
    BOOST_TEST(answer_to("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", into) == 400u);
    BOOST_TEST(answer_to("GET http://a/ HTTP/1.1\r\nHost: b c\r\n\r\n", into) == 400u);
    BOOST_TEST(answer_to("GET / HTTP/1.0\r\nHost: b c\r\n\r\n", into) == 400u);
    BOOST_TEST(answer_to("GET / HTTP/1.1\r\nHost:\r\n\r\n", into) == 400u);
    BOOST_TEST(answer_to("OPTIONS * HTTP/1.1\r\nHost:\r\n\r\n", into) == 200u);
    BOOST_TEST(answer_to("GET / HTTP/1.0\r\n\r\n", into) == 200u);
    BOOST_TEST(into.host() == "");
}

// RFC 9112 §3.2.2 and §3.3
BOOST_AUTO_TEST_CASE(the_host_of_an_absolute_target_is_the_only_one)
{
    http::request into;

    answer_to("GET http://one.example:81/a?b HTTP/1.1\r\nX: y\r\nHost: two.example\r\n\r\n", into);
    BOOST_TEST(into.host() == "one.example:81");
    BOOST_TEST(into.header("Host") == "one.example:81");
    BOOST_TEST(into.header("X") == "y");
    BOOST_TEST(into.raw_path() == "/a");
    BOOST_TEST(into.raw_query() == "b");

    answer_to("GET http://one.example HTTP/1.0\r\n\r\n", into);
    BOOST_TEST(into.host() == "one.example");
    BOOST_TEST(into.raw_path() == "/");

    answer_to("GET /http://one.example/ HTTP/1.1\r\nHost: two.example\r\n\r\n", into);
    BOOST_TEST(into.host() == "two.example");
}

BOOST_AUTO_TEST_SUITE_END()
