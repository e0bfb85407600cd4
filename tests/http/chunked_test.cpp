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
                         "0\r\n\r\r", "0\r\nA: b\n\r\n", "fffffffffffffffff\r\n"}))
{
    BOOST_TEST(decode(sample, 0).is_malformed);
}

// RFC 9112 §7.1
BOOST_AUTO_TEST_CASE(sizes_are_bounded_in_digits_and_value)
{
    BOOST_TEST(!decode("0000000000000001\r\na\r\n", 0).is_malformed);
    BOOST_TEST(decode("00000000000000001\r\na\r\n", 0).is_malformed);
    BOOST_TEST(!decode("7fffffffffffffff\r\na", 0).is_malformed);
    BOOST_TEST(decode("8000000000000000\r\na", 0).is_malformed);
    BOOST_TEST(decode("10000000000000005\r\nhello\r\n", 0).is_malformed);
}

// RFC 9112 §7.1.1
BOOST_AUTO_TEST_CASE(extensions_are_bounded_in_a_chunk_and_against_the_data)
{
    const auto chunk = [](std::size_t extension, std::size_t data) {
        std::string bytes;
        http::append_chunk(bytes, std::string(data, 'x'));
        return bytes.insert(bytes.find('\r'), ";" + std::string(extension - 1, 'e'));
    };
    const std::size_t most = http::chunk_decoder::most_extension;
    std::string long_ones, empty_ones;
    for (int i = 0; i < 100; ++i) {
        long_ones += chunk(most, 2 * most);
        empty_ones += chunk(most, 1);
    }

    BOOST_TEST(!decode(chunk(most, 1), 0).is_malformed);
    BOOST_TEST(decode(chunk(most + 1, 1), 0).is_malformed);
    BOOST_TEST(decode("1" + std::string(most + 1, ' ') + "\r\n", 0).is_malformed);
    BOOST_TEST(!decode(long_ones, 0).is_malformed);
    BOOST_TEST(decode(empty_ones, 0).is_malformed);
}

// RFC 9112 §7.1.2
BOOST_DATA_TEST_CASE(trailers_are_fields,
                     boost::unit_test::data::make(std::vector<std::string>{
                         "X\r\n", "X y\r\n", "X : y\r\n", ": y\r\n", " X: y\r\n", "X: y\r\n z\r\n",
                         "X: a\rb\r\n", "X: a\nY: b\r\n", "X: \x01\r\n", "X: \x7f\r\n",
                         std::string("X: \0\r\n", 6), "X(y): z\r\n", "GET / HTTP/1.1\r\n",
                         "X: " + std::string(http::chunk_decoder::most_overhead, 'x') + "\r\n"}))
{
    BOOST_TEST(decode("0\r\n" + sample + "\r\n", 0).is_malformed);
    BOOST_TEST(decode("0\r\nA: b\r\n" + sample + "\r\n", 0).is_malformed);
}

// RFC 9110 §6.5.1
BOOST_DATA_TEST_CASE(trailers_say_nothing, boost::unit_test::data::make(std::vector<std::string>{
                                               "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n",
                                               "Host: b\r\n", "X:\r\n", "X: \t\xff\r\nX: y\r\n"}))
{
    const std::string bytes = "1\r\na\r\n0\r\n" + sample + "\r\n";

    const decoded whole = decode(bytes + "5\r\nhello\r\n0\r\n\r\n", 0);

    BOOST_TEST(whole.is_done);
    BOOST_TEST(whole.body == "a");
    BOOST_TEST(whole.used == bytes.size());
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
