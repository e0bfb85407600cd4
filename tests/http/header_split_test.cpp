// No value that a handler sets can begin another field, or end the head.
#include <heddle/base/error.hpp>
#include <heddle/http/response.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace http = heddle::http;

namespace {

// Whether it was taken.
bool set(http::response& answer, const std::string& name, const std::string& value)
{
    try {
        answer.set_header(name, value);
        return true;
    } catch (const heddle::error&) {
        return false;
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(a_header_setter)

// RFC 9110 sections 5.1, 5.5 and 5.6.2
BOOST_AUTO_TEST_CASE(takes_of_all_bytes_those_that_may_be_there)
{
    const std::string token = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (int byte = 0; byte != 256; ++byte) {
        const char c = static_cast<char>(byte);
        http::response answer;

        const bool value_taken = set(answer, "X-A", std::string("a") + c + "b");
        const bool name_taken = set(answer, std::string("X") + c + "Y", "a");

        BOOST_TEST(value_taken == (c != '\r' && c != '\n' && c != '\0'), "byte " << byte);
        BOOST_TEST(name_taken == (token.find(c) != std::string::npos), "byte " << byte);
    }
}

BOOST_AUTO_TEST_CASE(refuses_the_known_ways_to_split_an_answer)
{
    for (const char* value :
         {"a\r\nSet-Cookie: b=c", "a\nb", "a\rb", "\r\n\r\n<html>", "a\r\n b", "\n", "a\r"}) {
        http::response answer;
        BOOST_TEST(!set(answer, "Location", value));
        BOOST_CHECK_THROW(answer.add_header("Location", value), heddle::error);
        BOOST_TEST(answer.header_lines() == "");
    }
    for (const char* name : {"", " ", "A:", "A: b\r\nC", "A\r\n", " A", "A ", "A\tB", "\"A\"",
                             "Content-Length", "transfer-encoding", "CONNECTION"}) {
        http::response answer;
        BOOST_TEST(!set(answer, name, "x"));
        BOOST_TEST(answer.header_lines() == "");
    }
}

BOOST_AUTO_TEST_CASE(makes_one_line_of_whatever_it_takes)
{
    std::uint32_t seed = 1;
    const auto random = [&](std::uint32_t below) {
        return (seed = seed * 1664525 + 1013904223) / 65536 % below;
    };
    const std::string bytes("aZ-:; ,\"\t\r\n\0\x80\xff\x7f", 15);
    int taken = 0;
    for (int i = 0; i != 20'000; ++i) {
        std::string name = "X", value;
        for (std::uint32_t n = random(3); n > 0; --n)
            name += bytes[random(15)];
        for (std::uint32_t n = random(6); n > 0; --n)
            value += bytes[random(15)];
        http::response answer;
        if (!set(answer, name, value))
            continue;
        ++taken;
        BOOST_TEST_REQUIRE((answer.header_lines() == name + ": " + value + "\r\n"));
        BOOST_TEST_REQUIRE(std::count(answer.header_lines().begin(), answer.header_lines().end(), '\n') == 1);
        BOOST_TEST_REQUIRE((answer.header(name) == value));
    }
    BOOST_TEST(taken > 1000);
    BOOST_TEST(taken < 19'000);
}

BOOST_AUTO_TEST_SUITE_END()
