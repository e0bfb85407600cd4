// Origins and URLs, read and written.
#include <heddle/http/origin.hpp>

#include <heddle/base/error.hpp>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace http = heddle::http;

BOOST_AUTO_TEST_SUITE(an_origin)

BOOST_DATA_TEST_CASE(is_written_as_it_was_read,
                     boost::unit_test::data::make(std::vector<std::string>{
                         "http://127.0.0.1:9000", "http://a.example", "https://[::1]:8443", "https://a"}))
{
    BOOST_TEST(to_string(http::parse_origin(sample)) == sample);
}

BOOST_AUTO_TEST_CASE(is_the_same_in_capitals_and_with_its_own_port)
{
    BOOST_TEST((http::parse_origin("HTTP://A.Example:80/") == http::parse_origin("http://a.example")));
    BOOST_TEST((http::parse_origin("https://a:443") != http::parse_origin("http://a:443")));
}

BOOST_DATA_TEST_CASE(is_not_read_from_anything_else,
                     boost::unit_test::data::make(std::vector<std::string>{"",
                                                                           "a",
                                                                           "a:80",
                                                                           "ftp://a",
                                                                           "http:/a",
                                                                           "http://",
                                                                           "http://:80",
                                                                           "http://a:",
                                                                           "http://a:x",
                                                                           "http://a:65536",
                                                                           "http://a:0",
                                                                           "http://u@a",
                                                                           "http://u:p@a",
                                                                           "http://[::1",
                                                                           "http://::1",
                                                                           "http://[::1]80",
                                                                           "http://a b",
                                                                           "http://a\r\nb",
                                                                           "http://a/p",
                                                                           "http://a?q",
                                                                           "http://a#f"}))
{
    BOOST_CHECK_THROW(http::parse_origin(sample), heddle::config_error);
}

BOOST_AUTO_TEST_SUITE_END()
