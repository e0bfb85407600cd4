// Queries and forms: the same pairs, in a target or in a body.
#include <heddle/http/message.hpp>
#include <heddle/http/problem.hpp>

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace http = heddle::http;
using strings = std::vector<std::string>;

namespace {

template <class F>
std::string pointer_of(F f)
{
    try {
        f();
    } catch (const http::bad_request& e) {
        return e.problem().errors.at(0).pointer;
    }
    return "";
}

http::request post_form(std::string body, std::string_view type = "application/x-www-form-urlencoded")
{
    http::request req(http::verb::post, "/");
    req.set_body(std::move(body));
    return std::move(req).with_header("Content-Type", type);
}

unsigned status_of(const http::request& req)
{
    try {
        req.form();
    } catch (const http::rejected& e) {
        return e.problem().status;
    }
    return 200;
}

// Bytes that are no text, or no encoding of any. Source: RFC 3986 §2.1, Unicode 15 table 3-7.
const strings not_text{"%", "%4", "%zz", "%00", "%ff", "%C3", "%C0%80", "%ED%A0%80", "%F5%80%80%80", "\xff"};

} // namespace

BOOST_AUTO_TEST_SUITE(a_form)

BOOST_AUTO_TEST_CASE(has_decoded_fields)
{
    const http::form form = post_form("name=J%C3%B6rg+M.&n=7&n=8&flag&e=1=2&&a%20b=%2B&=x").form();

    BOOST_TEST(form.get<std::string>("name").value() == "J\xc3\xb6rg M.");
    BOOST_TEST(form.get<std::int32_t>("n").value() == 7);
    BOOST_TEST((form.all<std::int32_t>("n") == std::vector<std::int32_t>{7, 8}));
    BOOST_TEST(form.get<std::string>("flag").value() == "");
    BOOST_TEST(form.get<std::string>("e").value() == "1=2");
    BOOST_TEST(form.get<std::string>("a b").value() == "+");
    BOOST_TEST(form.get<std::string>("").value() == "x");
    BOOST_TEST(!form.get<std::string>("none").has_value());
    BOOST_TEST(form.all<std::string>("none").empty());
    BOOST_TEST(form.fields().size() == 7u);
    BOOST_TEST(http::form("").fields().empty());
}

BOOST_AUTO_TEST_CASE(is_decoded_once)
{
    BOOST_TEST(http::form("a=%2541%252B").get<std::string>("a").value() == "%41%2B");
}

BOOST_AUTO_TEST_CASE(says_which_field_is_not_what_it_should_be)
{
    const http::form form("n=7&n=x");

    BOOST_TEST(pointer_of([&] { form.all<std::int32_t>("n"); }) == "/form/n");
    BOOST_TEST(pointer_of([&] { http::form("n=+7").get<std::int32_t>("n"); }) == "/form/n");
}

BOOST_AUTO_TEST_CASE(is_text_in_names_and_values_that_nobody_asks_for_too)
{
    for (const std::string& raw : not_text) {
        BOOST_TEST(pointer_of([&] { http::form("a=b&c=" + raw); }) == "/form", raw);
        BOOST_TEST(pointer_of([&] { http::form(raw + "=b"); }) == "/form", raw);
    }
}

// RFC 9110 §8.3
BOOST_AUTO_TEST_CASE(is_read_only_if_the_body_says_it_is_one)
{
    BOOST_TEST(status_of(post_form("a=b", "Application/X-WWW-Form-urlencoded ; charset=utf-8")) == 200u);
    for (const char* type : {"multipart/form-data; boundary=x", "text/plain", "application/json", "",
                             "application/x-www-form-urlencoded2", "x;application/x-www-form-urlencoded"})
        BOOST_TEST(status_of(post_form("a=b", type)) == 415u, type);
    BOOST_TEST(status_of(http::request(http::verb::post, "/")) == 415u);
}

BOOST_AUTO_TEST_CASE(has_a_bounded_number_of_fields)
{
    std::string body;
    for (std::size_t i = 0; i != http::form::max_fields; ++i)
        body += "&a=b&";

    BOOST_TEST(status_of(post_form(body)) == 200u);
    BOOST_TEST(status_of(post_form(body + "a")) == 413u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(a_query)

BOOST_AUTO_TEST_CASE(has_all_values_of_a_name_or_the_first)
{
    const http::request req = http::get("/?n=7&m=1&n=8&%6e=9&N=10");

    BOOST_TEST(req.query<std::int32_t>("n").value() == 7);
    BOOST_TEST((req.query_all<std::int32_t>("n") == std::vector<std::int32_t>{7, 8, 9}));
    BOOST_TEST(req.query_all<std::int32_t>("none").empty());
    BOOST_TEST((http::get("/?t=a+b&t=a%2Bb&t").query_all<std::string>("t") == strings{"a b", "a+b", ""}));
    BOOST_TEST(pointer_of([] { http::get("/?n=7&n=x").query_all<std::int32_t>("n"); }) == "/query/n");
}

BOOST_AUTO_TEST_CASE(is_text_where_it_is_asked_for)
{
    for (const std::string& raw : not_text) {
        const http::request req = http::get("/?b=" + raw + "&a=1");
        BOOST_TEST(pointer_of([&] { req.query_all<std::string>("b"); }) == "/query/b", raw);
        BOOST_TEST(pointer_of([&] { req.query<std::string>("b"); }) == "/query/b", raw);
        BOOST_TEST(req.query<std::int32_t>("a").value() == 1, raw);
        BOOST_TEST(req.raw_query() == "b=" + raw + "&a=1");
    }
}

BOOST_AUTO_TEST_SUITE_END()
