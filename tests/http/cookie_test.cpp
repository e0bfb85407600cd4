// Cookies: read as browsers send them, written so that nothing in them can be taken for something else.
#include <heddle/http/cookie.hpp>
#include <heddle/http/message.hpp>

#include <heddle/base/error.hpp>

#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace http = heddle::http;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

std::string found(const std::string& sent, std::string_view name)
{
    const http::request req = http::get("/").with_header("Cookie", sent);
    return std::string(req.cookie(name).value_or("-"));
}

std::string written(const http::cookie& wanted)
{
    http::response answer;
    http::set_cookie(answer, wanted);
    return std::string(answer.header("Set-Cookie"));
}

bool is_refused(const http::cookie& wanted)
{
    http::response answer;
    try {
        http::set_cookie(answer, wanted);
    } catch (const heddle::error&) {
        return answer.header_lines().empty();
    }
    return false;
}

} // namespace

BOOST_AUTO_TEST_SUITE(cookies)

// RFC 6265 §4.2.1 and §5.4
BOOST_AUTO_TEST_CASE(are_found_by_name)
{
    BOOST_TEST(found("a=1; b=2", "a") == "1");
    BOOST_TEST(found("a=1; b=2", "b") == "2");
    BOOST_TEST(found("a=1; a=2", "a") == "1");
    BOOST_TEST(found("a=1;b=2 ;  c = 3 ", "b") == "2");
    BOOST_TEST(found("a=1;b=2 ;  c = 3 ", "c") == "3");
    BOOST_TEST(found("a=b=c", "a") == "b=c");
    BOOST_TEST(found("a=", "a") == "");
    BOOST_TEST(found("a=\"q\"", "a") == "\"q\"");
    BOOST_TEST(found("a=%41", "a") == "%41");
    BOOST_TEST(found(";;a=1;", "a") == "1");
}

BOOST_AUTO_TEST_CASE(are_not_found_in_parts_of_others)
{
    BOOST_TEST(found("ab=1; x=a=2", "a") == "-");
    BOOST_TEST(found("A=1", "a") == "-");
    BOOST_TEST(found("a; b=2", "a") == "-");
    BOOST_TEST(found("", "a") == "-");
    BOOST_TEST(found("b=1, a=2", "a") == "-");
    BOOST_TEST(!http::get("/").cookie("a").has_value());
}

// RFC 9113 §8.2.3: what came over HTTP/2 may have been split.
BOOST_AUTO_TEST_CASE(are_found_on_every_line)
{
    const http::request req = http::get("/").with_header("Cookie", "a=1").with_header("cookie", "b=2");

    BOOST_TEST(req.cookie("b").value() == "2");
}

BOOST_AUTO_TEST_CASE(are_set_with_safe_defaults)
{
    BOOST_TEST(written({.name = "sid", .value = "x"}) == "sid=x; Path=/; HttpOnly; SameSite=Lax");
    BOOST_TEST(written({.name = "sid",
                        .value = "x",
                        .path = "/a",
                        .domain = "example.org",
                        .max_age = 1h,
                        .secure = true,
                        .http_only = false,
                        .from = http::cookie::same_site::strict}) ==
               "sid=x; Path=/a; Domain=example.org; Max-Age=3600; Secure; SameSite=Strict");
    BOOST_TEST(written({.name = "sid", .max_age = 0s}) == "sid=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
    BOOST_TEST(written({.name = "e", .secure = true, .from = http::cookie::same_site::none}) ==
               "e=; Path=/; Secure; HttpOnly; SameSite=None");
}

// RFC 6265 §3
BOOST_AUTO_TEST_CASE(are_one_line_each)
{
    http::response answer;
    http::set_cookie(answer, {.name = "a"});
    http::set_cookie(answer, {.name = "b"});

    BOOST_TEST(answer.header_lines() == "Set-Cookie: a=; Path=/; HttpOnly; SameSite=Lax\r\n"
                                        "Set-Cookie: b=; Path=/; HttpOnly; SameSite=Lax\r\n");
}

// RFC 6265 §4.1.1
BOOST_AUTO_TEST_CASE(that_would_be_read_as_more_are_refused)
{
    for (const std::string& bad : {"a;b"s, "a\r\nX: y"s, "a\n"s, "a b"s, "a,b"s, "\"a\""s, "a\\b"s, "\0"s,
                                   "\x7f"s, "\xc3\xa4"s, "a\tb"s, std::string(4096, 'x')})
        BOOST_TEST(is_refused({.name = "n", .value = bad}), bad);
    for (const std::string& bad : {""s, "a="s, "a;"s, "a b"s, "a\r\n"s, "\xc3\xa4"s})
        BOOST_TEST(is_refused({.name = bad}), bad);
    for (const std::string& bad : {""s, "a"s, "/;Domain=b"s, "/\r\nX: y"s, "/\0"s, "/\xff"s})
        BOOST_TEST(is_refused({.name = "n", .path = bad}), bad);
    for (const std::string& bad : {"a;Secure"s, "a b"s, "a\r\n"s, "a/b"s, "a:80"s})
        BOOST_TEST(is_refused({.name = "n", .domain = bad}), bad);
    BOOST_TEST(is_refused({.name = "n", .max_age = -1s}));
}

// draft-ietf-httpbis-rfc6265bis §4.1.3 and §5.7
BOOST_AUTO_TEST_CASE(keep_what_their_names_promise)
{
    BOOST_TEST(written({.name = "__Host-a", .secure = true}) ==
               "__Host-a=; Path=/; Secure; HttpOnly; SameSite=Lax");
    BOOST_TEST(written({.name = "__Secure-a", .path = "/b", .domain = "c", .secure = true}) ==
               "__Secure-a=; Path=/b; Domain=c; Secure; HttpOnly; SameSite=Lax");
    BOOST_TEST(is_refused({.name = "__Host-a"}));
    BOOST_TEST(is_refused({.name = "__host-a"}));
    BOOST_TEST(is_refused({.name = "__Secure-a"}));
    BOOST_TEST(is_refused({.name = "__Host-a", .path = "/b", .secure = true}));
    BOOST_TEST(is_refused({.name = "__Host-a", .domain = "b", .secure = true}));
    BOOST_TEST(is_refused({.name = "a", .from = http::cookie::same_site::none}));
}

BOOST_AUTO_TEST_SUITE_END()
