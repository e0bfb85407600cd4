// Addresses as people write them.
#include <heddle/base/error.hpp>
#include <heddle/net/endpoint.hpp>

#define BOOST_TEST_MODULE endpoint
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace net = heddle::net;

BOOST_AUTO_TEST_SUITE(endpoint)

BOOST_DATA_TEST_CASE(is_written_as_it_was_read,
                     boost::unit_test::data::make(std::vector<std::string>{
                         "127.0.0.1:8080", "localhost:0", "[::1]:65535", "unix:/run/a:80", "unix:@name"}))
{
    BOOST_TEST(net::to_string(net::parse_endpoint(sample)) == sample);
}

BOOST_AUTO_TEST_CASE(leaves_the_brackets_out_of_the_host)
{
    const net::endpoint e = net::parse_endpoint("[::1]:80");

    BOOST_TEST(e.host == "::1");
    BOOST_TEST(e.port == 80);
}

BOOST_AUTO_TEST_CASE(may_be_a_path)
{
    const net::endpoint e = net::parse_endpoint("unix:/run/heddle.sock");

    BOOST_TEST(e.is_unix());
    BOOST_TEST(e.path == "/run/heddle.sock");
}

BOOST_DATA_TEST_CASE(refuses_what_is_none,
                     boost::unit_test::data::make(std::vector<std::string>{
                         "", "8080", ":8080", "a:", "a:b", "a:80 ", "a:-1", "a:65536", "::1:80", "[]:80",
                         "unix:", "unix:@", std::string("unix:a\0b", 8)}))
{
    BOOST_CHECK_THROW(net::parse_endpoint(sample), heddle::config_error);
}

BOOST_AUTO_TEST_SUITE_END()
