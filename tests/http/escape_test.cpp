// Text that goes into URLs and log lines.

#include <boost/test/unit_test.hpp>

#include <heddle/http/escape.hpp>

#include <string>

namespace http = heddle::http;

BOOST_AUTO_TEST_SUITE(escaping)

BOOST_AUTO_TEST_CASE(leaves_only_unreserved_characters)
{
    BOOST_TEST(http::escape("aZ09-._~") == "aZ09-._~");
    BOOST_TEST(http::escape("a/b?c=d&e%f g+h") == "a%2Fb%3Fc%3Dd%26e%25f%20g%2Bh");
    BOOST_TEST(http::escape("\u00e9") == "%C3%A9");
    BOOST_TEST(http::escape("..") == "..");
}

BOOST_AUTO_TEST_CASE(comes_back_as_it_was)
{
    std::string every;
    for (int c = 1; c != 128; ++c)
        every += static_cast<char>(c);

    BOOST_TEST((http::unescape(http::escape(every)) == every));
    BOOST_TEST((http::unescape(http::escape(every), http::plus::is_space) == every));
}

// FAULTS F28
BOOST_AUTO_TEST_CASE(a_log_line_stays_one_line)
{
    BOOST_TEST(http::printable("/a%0d%0aFORGED") == "/a%0d%0aFORGED");
    BOOST_TEST(http::printable("a\r\nb\x1b[0m\"\\\xC3") == "a\\x0d\\x0ab\\x1b[0m\\x22\\x5c\\xc3");
    BOOST_TEST(http::printable(std::string(1000, 'a'), 10) == "aaaaaaaaaa...");
}

BOOST_AUTO_TEST_SUITE_END()
