// Requests and responses as values.

#define BOOST_TEST_MODULE message
#include <boost/test/unit_test.hpp>

#include <heddle/http/message.hpp>
#include <heddle/http/problem.hpp>

#include <boost/describe.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace http = heddle::http;

namespace {

struct point
{
    std::int32_t x;
};
BOOST_DESCRIBE_STRUCT(point, (), (x))

// The pointer that `f` is refused with; empty if it is not.
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

// A request whose route has taken `raw` for {id}.
http::request with_id(std::string_view raw)
{
    http::request req(http::verb::get, "/things/" + std::string(raw));
    req.add_parameter("id", req.raw_path().substr(8));
    return req;
}

template <class T>
bool refuses_id(std::string_view raw)
{
    return pointer_of([&] { with_id(raw).path<T>("id"); }) == "/path/id";
}

} // namespace

BOOST_AUTO_TEST_SUITE(a_request)

BOOST_AUTO_TEST_CASE(takes_its_target_apart)
{
    const http::request req = http::get("/a%2Fb/c?x=1&y");

    BOOST_TEST((req.method() == http::verb::get));
    BOOST_TEST(req.target() == "/a%2Fb/c?x=1&y");
    BOOST_TEST(req.raw_path() == "/a%2Fb/c");
    BOOST_TEST(req.raw_query() == "x=1&y");
    BOOST_TEST(req.path() == "/a/b/c");
    BOOST_TEST(http::get("/a").raw_query() == "");
    BOOST_TEST(http::get("/a?").raw_query() == "");
}

// RFC 9112 §3.2.2
BOOST_AUTO_TEST_CASE(takes_a_target_in_absolute_form)
{
    BOOST_TEST(http::get("http://host:80/a/b?x=1").raw_path() == "/a/b");
    BOOST_TEST(http::get("HTTPS://host/a/b?x=1").raw_query() == "x=1");
    BOOST_TEST(http::get("http://host").raw_path() == "/");
    BOOST_TEST(http::get("http://host?x=1").raw_path() == "/");
    BOOST_TEST(http::get("http://host?x=1").raw_query() == "x=1");
    BOOST_TEST(http::get("/http://host/").raw_path() == "/http://host/");
}

BOOST_AUTO_TEST_CASE(finds_a_field_by_its_name_in_any_case)
{
    http::request req =
        http::get("/").with_header("accept", "a/b").with_header("X-One", "1").with_header("x-one", "2");

    BOOST_TEST(req.header(http::field::accept) == "a/b");
    BOOST_TEST(req.header("x-ONE") == "1");
    BOOST_TEST(req.header("X-On") == "");
    BOOST_TEST(req.header(http::field::host) == "");
    std::vector<std::string> all;
    req.for_each_header([&](http::field, std::string_view name, std::string_view value) {
        all.push_back(std::string(name) + "=" + std::string(value));
    });
    BOOST_TEST((all == std::vector<std::string>{"accept=a/b", "X-One=1", "x-one=2"}));
}

BOOST_AUTO_TEST_CASE(refuses_a_field_that_would_be_two)
{
    BOOST_CHECK_THROW(http::get("/").with_header("X", "a\r\nY: b"), heddle::error);
    BOOST_CHECK_THROW(http::get("/").with_header("X", std::string_view("a\0b", 3)), heddle::error);
    BOOST_CHECK_THROW(http::get("/").with_header("X Y", "a"), heddle::error);
    BOOST_CHECK_THROW(http::get("/").with_header("", "a"), heddle::error);
}

BOOST_AUTO_TEST_CASE(is_a_value)
{
    http::request first = with_id("a%20b");
    first.set_request_id("r-1");

    http::request copy = first;
    first.clear();

    BOOST_TEST(copy.path<std::string>("id") == "a b");
    BOOST_TEST(copy.request_id() == "r-1");
    BOOST_TEST(first.target() == "");
    BOOST_TEST(first.request_id() == "");
    BOOST_TEST(first.header_count() == 0U);
}

// FAULTS F23
BOOST_AUTO_TEST_CASE(path_integers_are_exact_or_refused)
{
    BOOST_TEST(with_id("9223372036854775807").path<std::int64_t>("id") == INT64_MAX);
    BOOST_TEST(with_id("-9223372036854775808").path<std::int64_t>("id") == INT64_MIN);
    BOOST_TEST(with_id("%31").path<std::int64_t>("id") == 1);

    for (const char* raw : {"9223372036854775808", "-9223372036854775809", "18446744073709551617",
                            "999999999999999999999999999999", "abc", "1e3", "0x1", "+1", "%2B1", "%201",
                            "1%20", "1.0", "-", "\xEF\xBC\x91", "%EF%BC%91", "1,000"}) {
        BOOST_TEST_CONTEXT(raw)
        BOOST_TEST(refuses_id<std::int64_t>(raw));
    }
    BOOST_TEST(refuses_id<std::int32_t>("2147483648"));
    BOOST_TEST(refuses_id<std::uint64_t>("-1"));
    BOOST_TEST(refuses_id<bool>("1"));
    BOOST_TEST(refuses_id<double>("inf"));
    BOOST_TEST(refuses_id<double>("1e400"));
}

// FAULTS F23
BOOST_AUTO_TEST_CASE(bad_encodings_are_refused)
{
    for (const char* raw : {"%00", "a%00b", "%", "%4", "%zz", "%C3", "%ff", "%ED%A0%80", "%u0041"}) {
        BOOST_TEST_CONTEXT(raw)
        BOOST_TEST(pointer_of([&] { with_id(raw); }) == "/path/id");
        BOOST_TEST(pointer_of([&] { http::get("/" + std::string(raw)).path(); }) == "/path");
        BOOST_TEST(pointer_of([&] { http::get("/?q=" + std::string(raw)).query<std::string>("q"); }) ==
                   "/query/q");
    }
}

BOOST_AUTO_TEST_CASE(decodes_once)
{
    BOOST_TEST(with_id("%2541").path<std::string>("id") == "%41");
    BOOST_TEST(http::get("/?q=%2541").query<std::string>("q").value() == "%41");
    BOOST_TEST(with_id("a+b").path<std::string>("id") == "a+b");
    BOOST_TEST(http::get("/?q=a+b%2Bc").query<std::string>("q").value() == "a b+c");
}

BOOST_AUTO_TEST_CASE(finds_query_values_by_name)
{
    const http::request req = http::get("/?empty=&n=7&n=8&flag&a%20b=c&=x&&e=1=2");

    BOOST_TEST(req.query<std::string>("empty").value() == "");
    BOOST_TEST(req.query<std::int32_t>("n").value() == 7);
    BOOST_TEST(req.query<std::string>("flag").value() == "");
    BOOST_TEST(req.query<std::string>("a b").value() == "c");
    BOOST_TEST(req.query<std::string>("e").value() == "1=2");
    BOOST_TEST(!req.query<std::string>("none").has_value());
    BOOST_TEST(pointer_of([&] { req.query<std::int32_t>("flag"); }) == "/query/flag");
}

BOOST_AUTO_TEST_CASE(reads_a_json_body_only_if_it_says_so)
{
    BOOST_TEST(http::post("/", R"({"x":1})").json<point>().x == 1);

    http::request req(http::verb::post, "/");
    req.set_body(R"({"x":1})");
    BOOST_TEST(req.json<point>().x == 1); // it says nothing
    const auto typed = [&](std::string_view type) {
        return http::request(req).with_header("Content-Type", type);
    };
    BOOST_TEST(typed("Application/JSON ; charset=utf-8").json<point>().x == 1);
    BOOST_TEST(typed("application/merge-patch+json").json<point>().x == 1);
    BOOST_CHECK_EXCEPTION(typed("text/plain").json<point>(), http::rejected,
                          [](const http::rejected& e) { return e.problem().status == 415; });
}

BOOST_AUTO_TEST_CASE(keeps_the_text_of_an_unknown_method)
{
    http::request req;
    req.set_target("/");
    req.set_method(http::verb::unknown, "BREW");

    BOOST_TEST(req.method_text() == "BREW");
    BOOST_TEST(http::del("/").method_text() == "DELETE");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(a_response)

BOOST_AUTO_TEST_CASE(has_its_fields_ready_to_be_sent)
{
    http::response r(http::status::ok, "text/plain", "hello");
    r.set_header("X-A", "1").set_header(http::field::etag, "\"e\"");

    BOOST_TEST(r.header_lines() == "Content-Type: text/plain\r\nX-A: 1\r\nETag: \"e\"\r\n");
    BOOST_TEST(r.header("x-a") == "1");
    BOOST_TEST(r.header(http::field::content_type) == "text/plain");
    BOOST_TEST(r.header("X") == "");
}

BOOST_AUTO_TEST_CASE(sets_in_place_of_and_adds_beside)
{
    http::response r;
    r.add_header("Set-Cookie", "a=1").add_header("Set-Cookie", "b=2").add_header("X", "y");
    BOOST_TEST(r.header_lines() == "Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nX: y\r\n");

    r.set_header("set-cookie", "c=3");
    BOOST_TEST(r.header_lines() == "X: y\r\nset-cookie: c=3\r\n");

    r.set_header("X", r.header("X"));
    BOOST_TEST(r.header_lines() == "set-cookie: c=3\r\nX: y\r\n");
}

BOOST_AUTO_TEST_CASE(refuses_a_line_break_and_framing)
{
    http::response r;

    BOOST_CHECK_THROW(r.set_header("X", "a\nY: b"), heddle::error);
    BOOST_CHECK_THROW(r.set_header("X:", "a"), heddle::error);
    BOOST_CHECK_THROW(r.set_header("X", std::string_view("\0", 1)), heddle::error);
    BOOST_CHECK_THROW(r.set_header("content-length", "5"), heddle::error);
    BOOST_CHECK_THROW(r.set_header(http::field::transfer_encoding, "chunked"), heddle::error);
    BOOST_CHECK_THROW(r.set_header(http::field::connection, "close"), heddle::error);
    BOOST_TEST(r.header_lines() == "");
}

BOOST_AUTO_TEST_CASE(streams_what_its_producer_writes)
{
    const http::response r = http::stream("text/csv", [](http::sink& out) {
        out.write("a,");
        out.write("b\n");
    });

    BOOST_TEST(r.is_streaming());
    BOOST_TEST(r.header(http::field::content_type) == "text/csv");
    BOOST_TEST(http::collect(r) == "a,b\n");
    BOOST_TEST(http::collect(http::response(http::status::ok, "text/plain", "x")) == "x");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(a_problem)

// RFC 9457 §3
BOOST_AUTO_TEST_CASE(is_written_without_what_is_empty)
{
    BOOST_TEST(to_json(http::problem::not_found("no such order")) ==
               R"({"type":"about:blank","title":"Not Found","status":404,"detail":"no such order"})");
    BOOST_TEST(to_json(http::problem::invalid("/quantity", "must be at least 1")) ==
               R"({"type":"about:blank","title":"Unprocessable Entity","status":422,)"
               R"("detail":"the request was read, but breaks a rule",)"
               R"("errors":[{"pointer":"/quantity","detail":"must be at least 1"}]})");
}

BOOST_AUTO_TEST_CASE(is_read_back_without_what_is_missing)
{
    http::response r;
    r.set_body(
        R"({"status":409,"title":"Conflict","balance":30})"); // with a member that only its sender knows

    const auto read = r.json<http::problem>();

    BOOST_TEST((read.code() == http::status::conflict));
    BOOST_TEST(read.type == "about:blank");
    BOOST_TEST(read.errors.empty());
}

BOOST_AUTO_TEST_SUITE_END()
