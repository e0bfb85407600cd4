// JSON for clients: valid whatever the values are.

#include <boost/test/unit_test.hpp>

#include <heddle/http/json.hpp>

#include <boost/describe.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace http = heddle::http;

namespace {

enum class size
{
    small,
    large
};
BOOST_DESCRIBE_ENUM(size, small, large)

struct base
{
    std::int64_t id;
};
BOOST_DESCRIBE_STRUCT(base, (), (id))

struct article : base
{
    std::string sku;
    std::optional<double> price;
    std::vector<std::string> tags;
    http::json_options ignored_by_description;
    bool sold;
};
BOOST_DESCRIBE_STRUCT(article, (base), (sku, price, tags, sold))

struct nothing
{
};
BOOST_DESCRIBE_STRUCT(nothing, (), ())

} // namespace

BOOST_AUTO_TEST_SUITE(writing_json)

BOOST_AUTO_TEST_CASE(members_stand_in_described_order)
{
    article one{};
    one.id = -5;
    one.sku = "tea";
    one.tags = {"a", "b"};
    one.sold = true;

    BOOST_TEST(http::to_json(one) == R"({"id":-5,"sku":"tea","price":null,"tags":["a","b"],"sold":true})");
    BOOST_TEST(http::to_json(nothing{}) == "{}");
}

BOOST_AUTO_TEST_CASE(each_kind_of_value_has_its_form)
{
    BOOST_TEST(http::to_json(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
    BOOST_TEST(http::to_json(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
    BOOST_TEST(http::to_json(false) == "false");
    BOOST_TEST(http::to_json(std::optional<std::int32_t>(3)) == "3");
    BOOST_TEST(http::to_json(std::map<std::string, std::int32_t>{{"a\"", 1}, {"b", 2}}) ==
               R"({"a\"":1,"b":2})");
    BOOST_TEST(http::to_json(std::vector<bool>{true, false}) == "[true,false]");
    BOOST_TEST(http::to_json(std::vector<std::int32_t>{}) == "[]");
    BOOST_TEST(http::to_json(size::large) == "\"large\"");
    BOOST_TEST(http::to_json(std::string_view("x")) == "\"x\"");
}

BOOST_AUTO_TEST_CASE(a_double_comes_back_as_it_was)
{
    for (const double x :
         {0.0, -0.0, 0.1, 1.0 / 3, 5.0, 1e22, 1e-300, 9007199254740992.0, 1.7976931348623157e308, 5e-324}) {
        const std::string written = http::to_json(x);
        BOOST_TEST_CONTEXT(written)
        BOOST_TEST(std::strtod(written.c_str(), nullptr) == x);
    }
}

// FAULTS F21
BOOST_AUTO_TEST_CASE(a_double_that_is_not_finite_is_null)
{
    BOOST_TEST(http::to_json(std::nan("")) == "null");
    BOOST_TEST(http::to_json(HUGE_VAL) == "null");
    BOOST_TEST(http::to_json(-HUGE_VAL) == "null");
}

BOOST_AUTO_TEST_CASE(text_is_escaped_where_it_must_be)
{
    BOOST_TEST(http::to_json(std::string("a\"b\\c\n\r\t\b\x1f\x7f")) ==
               R"("a\"b\\c\n\r\t\u0008\u001f\u007f")");
    BOOST_TEST(http::to_json(std::string("a\0b", 3)) == R"("a\u0000b")");
    BOOST_TEST(http::to_json(std::string("\u00e9\u20AC\U0001F600")) == "\"\u00e9\u20AC\U0001F600\"");
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_utf_8_are_replaced)
{
    BOOST_TEST(http::to_json(std::string("a\xFFz")) == "\"a\uFFFDz\"");
    BOOST_TEST(http::to_json(std::string("\xC3")) == "\"\uFFFD\"");
    BOOST_TEST(http::to_json(std::string("\xE2\x82")) == "\"\uFFFD\uFFFD\"");
}

BOOST_AUTO_TEST_CASE(what_is_written_can_be_read)
{
    const std::vector<std::string> texts = {"",         "plain", "\"\\\n", "\u00e9", std::string("\0\x01", 2),
                                            "</script>"};

    BOOST_TEST((http::from_json<std::vector<std::string>>(http::to_json(texts)) == texts));
}

BOOST_AUTO_TEST_SUITE_END()
