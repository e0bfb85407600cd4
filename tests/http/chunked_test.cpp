// The chunked coding, byte by byte and with every prefix cut off.
#include "http/chunked.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace http = heddle::http;

BOOST_AUTO_TEST_SUITE(chunked)

namespace {

struct decoded
{
    std::string body;
    std::size_t used = 0;
    bool is_done = false;
    bool is_malformed = false;
};

// `cut`: as if the network had delivered the bytes before and after it apart.
decoded decode(const std::string& bytes, std::size_t cut)
{
    http::chunk_decoder decoder;
    decoded result;
    while (result.used < bytes.size() && !decoder.is_done() && !decoder.is_malformed()) {
        const std::size_t end = result.used < cut ? cut : bytes.size();
        const auto step = decoder.next(std::string_view(bytes).substr(result.used, end - result.used));
        result.body += step.data;
        result.used += step.used;
    }
    result.is_done = decoder.is_done();
    result.is_malformed = decoder.is_malformed();
    return result;
}

} // namespace

BOOST_AUTO_TEST_CASE(is_the_same_wherever_it_is_cut)
{
    const std::string bytes =
        "5;a=\"b\"\r\nhello\r\n1\r\n \r\n00A\r\n0123456789\r\n0;last\r\nX: y\r\nZ:\r\n\r\n";

    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        const decoded whole = decode(bytes + "GET", cut);
        BOOST_TEST(whole.body == "hello 0123456789", cut);
        BOOST_TEST(whole.used == bytes.size(), cut);
        BOOST_TEST(whole.is_done, cut);
    }
}

BOOST_AUTO_TEST_CASE(no_prefix_is_done_or_malformed)
{
    const std::string bytes = "3\r\nabc\r\n0\r\nX: y\r\n\r\n";

    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const decoded part = decode(bytes.substr(0, size), 0);
        BOOST_TEST(!part.is_done, size);
        BOOST_TEST(!part.is_malformed, size);
    }
}

BOOST_DATA_TEST_CASE(refuses_what_is_not_exact,
                     boost::unit_test::data::make(std::vector<std::string>{
                         "\r\n", "g\r\n", "-1\r\n", "+1\r\na", "0x1\r\na", " 1\r\na", "1\na", "1\r\nab\r\n",
                         "1\r\na\n", "1\r\na\r\r", "1;\n", "1 1\r\na\r\n", "1 x\r\na\r\n", "1;\x01\r\n",
                         "0\r\n\r\r", "0\r\nA: b\n\r\n", "fffffffffffffffff\r\n",
                         "1;" + std::string(20'000, 'x') + "\r\n",
                         "0\r\n" + std::string(20'000, 'x') + "\r\n"}))
{
    BOOST_TEST(decode(sample, 0).is_malformed);
}

BOOST_AUTO_TEST_CASE(what_is_written_can_be_read)
{
    std::string bytes;
    http::append_chunk(bytes, "hello");
    http::append_chunk(bytes, "");
    http::append_chunk(bytes, std::string(300, 'x'));
    bytes += http::last_chunk;

    const decoded whole = decode(bytes, 0);

    BOOST_TEST(whole.is_done);
    BOOST_TEST(whole.body == "hello" + std::string(300, 'x'));
}

BOOST_AUTO_TEST_SUITE_END()
