// JSON from those who mean harm: stored exactly or refused, at once, whatever it is.

#include <boost/test/unit_test.hpp>

#include <heddle/http/json.hpp>
#include <heddle/http/problem.hpp>
#include <heddle/testing/runtime.hpp>

#include <boost/describe.hpp>

#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

namespace http = heddle::http;

namespace {

struct whole
{
    std::int64_t n;
};
BOOST_DESCRIBE_STRUCT(whole, (), (n))

struct real
{
    double x;
};
BOOST_DESCRIBE_STRUCT(real, (), (x))

struct text
{
    std::string s;
};
BOOST_DESCRIBE_STRUCT(text, (), (s))

struct tree
{
    std::vector<tree> in;
};
BOOST_DESCRIBE_STRUCT(tree, (), (in))

// The pointer and detail that reading `text` as a T is refused with; "accepted" if it is not.
template <class T>
std::string refusal(std::string_view text, const http::json_options& options = {})
{
    try {
        http::from_json<T>(text, options);
    } catch (const http::bad_request& e) {
        return e.problem().errors.at(0).pointer + " " + e.problem().errors.at(0).detail;
    }
    return "accepted";
}

template <class T>
bool refuses(std::string_view text)
{
    return refusal<T>(text) != "accepted";
}

std::string repeat(std::string_view text, std::size_t times)
{
    std::string all;
    for (std::size_t i = 0; i != times; ++i)
        all += text;
    return all;
}

// So many objects, and an array in each.
std::string nested(std::size_t objects)
{
    return repeat(R"({"in":[)", objects) + repeat("]}", objects);
}

} // namespace

// FAULTS F21
BOOST_AUTO_TEST_SUITE(hostile_json)

BOOST_AUTO_TEST_CASE(nesting_past_32_is_refused)
{
    BOOST_TEST(!refuses<tree>(nested(16))); // 16 objects and 16 arrays
    BOOST_TEST(refuses<tree>(nested(17)));
    BOOST_TEST((!refuses<std::vector<tree>>("[" + repeat(R"({"in":[)", 15) + repeat("]}", 15) + "]")));
    BOOST_TEST(refusal<tree>(nested(17)).find("more than 32") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_hundred_thousand_brackets_are_refused)
{
    const http::json_options tolerant{.unknown_members = http::json_options::unknown::ignore};
    const std::string brackets(100'000, '[');
    const std::string objects = repeat(R"({"a":)", 50'000);

    BOOST_TEST(refuses<whole>(brackets));
    BOOST_TEST(refuses<whole>(objects));
    BOOST_TEST(refuses<tree>(repeat(R"({"in":[)", 50'000)));
    BOOST_TEST(refusal<whole>(objects, tolerant).find("more than 32") != std::string::npos);
    BOOST_TEST(refusal<whole>(R"({"a":)" + brackets, tolerant).find("more than 32") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_deepest_fits_the_stack_of_a_fiber)
{
    const http::json_options tolerant{.unknown_members = http::json_options::unknown::ignore};
    heddle::testing::runtime runtime;
    std::string read;
    std::string skipped;

    runtime.spawn([&] { read = refusal<tree>(nested(16)); });
    runtime.spawn([&] { skipped = refusal<whole>(R"({"n":1,"a":)" + nested(15) + "}", tolerant); });
    runtime.run_ready();

    BOOST_TEST(read == "accepted");
    BOOST_TEST(skipped == "accepted");
}

BOOST_AUTO_TEST_CASE(an_integer_is_exact_or_refused)
{
    const auto n = [](std::string_view number) {
        return http::from_json<whole>(std::string(R"({"n":)").append(number).append("}")).n;
    };
    BOOST_TEST(n("9007199254740993") == 9007199254740993);
    BOOST_TEST(n("9223372036854775807") == INT64_MAX);
    BOOST_TEST(n("-9223372036854775808") == INT64_MIN);
    BOOST_TEST(n("-0") == 0);

    for (const char* number : {"9223372036854775808",
                               "-9223372036854775809",
                               "18446744073709551617",
                               "1e400",
                               "-1e400",
                               "1e-400",
                               "1000000000000000000e0",
                               "1.0",
                               "01",
                               "-01",
                               "+1",
                               "-",
                               "--1",
                               "NaN",
                               "nan",
                               "Infinity",
                               "-Infinity",
                               "inf",
                               "0x10",
                               "1_000",
                               ".5",
                               "5.",
                               "1e",
                               "1e+",
                               "true",
                               "\"1\"",
                               "null",
                               "1 2",
                               ""}) {
        BOOST_TEST_CONTEXT(number)
        BOOST_TEST(refuses<whole>(std::string(R"({"n":)") + number + "}"));
    }
}

BOOST_AUTO_TEST_CASE(an_integer_fits_its_type)
{
    BOOST_TEST(http::from_json<std::int32_t>("2147483647") == INT32_MAX);
    BOOST_TEST(refusal<std::int32_t>("2147483648") == " must be between -2147483648 and 2147483647");
    BOOST_TEST(http::from_json<std::uint8_t>("255") == 255);
    BOOST_TEST(refusal<std::uint8_t>("256") == " must be between 0 and 255");
    BOOST_TEST(refusal<std::uint8_t>("-1") == " must be between 0 and 255");
    BOOST_TEST(refuses<std::uint64_t>("18446744073709551616"));
    BOOST_TEST(refusal<std::uint64_t>("1.5") == " must be an integer, written with digits only");
}

BOOST_AUTO_TEST_CASE(a_double_is_never_another_number_than_was_sent)
{
    const auto x = [](std::string_view number) {
        return http::from_json<real>(std::string(R"({"x":)").append(number).append("}")).x;
    };
    BOOST_TEST(x("9007199254740992") == 9007199254740992.0);
    BOOST_TEST(x("-9007199254740992") == -9007199254740992.0);
    BOOST_TEST(x("1000000000000000000000") == 1e21);
    BOOST_TEST(x("1e308") == 1e308);
    BOOST_TEST(x("0.1") == 0.1);
    BOOST_TEST(x("1000000000000000000e0") == 1e18);

    for (const char* number : {"9007199254740993", "-9007199254740993", "9223372036854775807", "1e400",
                               "-1e400", "1e-400", "NaN", "Infinity", "01", "+1"}) {
        BOOST_TEST_CONTEXT(number)
        BOOST_TEST(refuses<real>(std::string(R"({"x":)") + number + "}"));
    }
}

BOOST_AUTO_TEST_CASE(a_hundred_thousand_digits_are_read_fast)
{
    const std::string digits(100'000, '7');
    const std::clock_t start = std::clock(); // the processor's time: other tests run beside this one

    BOOST_TEST(refuses<whole>(R"({"n":)" + digits + "}"));
    BOOST_TEST(refuses<real>(R"({"x":)" + digits + "}"));
    BOOST_TEST(!refuses<real>(R"({"x":0.)" + digits + "}"));

    BOOST_TEST((std::clock() - start < 3 * CLOCKS_PER_SEC / 20)); // 50 ms each
}

BOOST_AUTO_TEST_CASE(a_body_that_is_no_json_is_refused)
{
    for (const char* body :
         {"", "   ", "\n\t ", "{", "}", "nul", "{\"n\":1,}", "{,}", "{\"n\" 1}", "{n:1}", "{'n':1}",
          "{\"n\":1}{", "\xEF\xBB\xBF{\"n\":1}", "/**/{\"n\":1}", "{\"n\":1}//"}) {
        BOOST_TEST_CONTEXT(body)
        BOOST_TEST(refuses<whole>(body));
    }
    BOOST_TEST(refuses<whole>(std::string("{\"n\":1}\0", 8)));
    BOOST_TEST((refuses<std::vector<bool>>("[true,]")));
    BOOST_TEST((refuses<std::vector<bool>>("[,true]")));
    BOOST_TEST((refuses<std::vector<bool>>("[true true]")));
}

BOOST_AUTO_TEST_CASE(text_is_utf_8)
{
    const auto s = [](const std::string& raw) { return http::from_json<text>(R"({"s":")" + raw + "\"}").s; };
    BOOST_TEST(s(R"(\"\\\/\b\f\n\r\t)") == "\"\\/\b\f\n\r\t");
    BOOST_TEST(s(R"(\u00e9\u20AC\ud83d\ude00)") == "\u00e9\u20AC\U0001F600");
    BOOST_TEST(s("\u00e9\u20AC\U0001F600") == "\u00e9\u20AC\U0001F600");
    BOOST_TEST(s(R"(a\u0000b)") == std::string("a\0b", 3));

    for (const char* raw :
         {"\x80", "\xC0\xAF", "\xC3", "\xE2\x82", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80",
          "\xFF", "\n", "\x01", R"(\ud800)", R"(\udc00)", R"(\ud800\ud800)", R"(\ud800x)", R"(\u12)",
          R"(\u12g4)", R"(\u+123)", R"(\x41)", R"(\0)"}) {
        BOOST_TEST_CONTEXT(raw)
        BOOST_TEST(refuses<text>(std::string(R"({"s":")") + raw + "\"}"));
    }
    BOOST_TEST(refuses<whole>("{\"n\xFF\":1}"));
}

BOOST_AUTO_TEST_CASE(a_name_that_is_echoed_is_cut)
{
    BOOST_TEST(refusal<whole>("{\"" + std::string(10'000, 'x') + "\":1}").size() < 100);
}

BOOST_AUTO_TEST_SUITE_END()
