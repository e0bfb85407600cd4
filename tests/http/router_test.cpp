// From a request to its handler.

#define BOOST_TEST_MODULE routing
#include <boost/test/unit_test.hpp>

#include <heddle/base/error.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/http/router.hpp>
#include <heddle/testing/runtime.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace http = heddle::http;

namespace {

// A handler that tells which route it stands for.
auto says(std::string text)
{
    return [text = std::move(text)](const http::request&) { return text; };
}

std::string to(const http::router& router, std::string_view target)
{
    return std::string(router(http::get(target)).body());
}

http::request with_method(http::verb method, std::string_view target)
{
    return http::request(method, target);
}

struct routes_fixture
{
    http::router router;

    routes_fixture()
    {
        router.get("/", says("root"));
        router.get("/orders", says("all"));
        router.post("/orders", says("placed"));
        router.get("/orders/{id}",
                   [](const http::request& req) { return "one " + req.path<std::string>("id"); });
        router.del("/orders/{id}", says("gone"));
        router.get("/orders/new", says("form"));
        router.get("/orders/{order}/lines/{line}", [](const http::request& req) {
            return req.path<std::string>("order") + "/" + std::to_string(req.path<std::int32_t>("line"));
        });
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(a_router, routes_fixture)

BOOST_AUTO_TEST_CASE(finds_the_route_of_a_path)
{
    BOOST_TEST(to(router, "/") == "root");
    BOOST_TEST(to(router, "/orders") == "all");
    BOOST_TEST(to(router, "/orders?x=1") == "all");
    BOOST_TEST(to(router, "/orders/7") == "one 7");
    BOOST_TEST(to(router, "/orders/7/lines/3") == "7/3");
    BOOST_TEST(router(http::post("/orders", "{}")).body() == "placed");
    BOOST_TEST(to(router, "http://host/orders/7") == "one 7");
}

BOOST_AUTO_TEST_CASE(prefers_a_literal_segment)
{
    BOOST_TEST(to(router, "/orders/new") == "form");
}

BOOST_AUTO_TEST_CASE(goes_back_where_a_literal_leads_nowhere)
{
    BOOST_TEST(to(router, "/orders/new/lines/3") == "new/3");
    BOOST_TEST(router(http::del("/orders/new")).body() == "gone");
}

BOOST_AUTO_TEST_CASE(splits_before_it_decodes)
{
    BOOST_TEST(to(router, "/orders/a%2Fb") == "one a/b");
    BOOST_TEST(to(router, "/%6Frders/7") == "one 7");
    BOOST_TEST(to(router, "/orders/%6Eew") == "form");
    BOOST_TEST(to(router, "/orders/%252F") == "one %2F");
    BOOST_TEST(to(router, "/orders/a+b") == "one a+b");
}

BOOST_AUTO_TEST_CASE(answers_404_for_a_path_without_route)
{
    for (const char* target : {"/nothing", "/orders/", "/orders//lines/3", "/orders/7/lines", "/Orders", "//",
                               "/orders/7/", "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t"}) {
        BOOST_TEST_CONTEXT(target)
        BOOST_TEST((router(http::get(target)).status() == http::status::not_found));
    }
}

BOOST_AUTO_TEST_CASE(answers_400_for_a_path_that_cannot_be_decoded)
{
    for (const char* target : {"/orders/%00", "/orders/%", "/orders/%4", "/orders/%zz", "/orders/%ff",
                               "/no-such/%00", "orders", "../orders", "", "?x", "*"}) {
        BOOST_TEST_CONTEXT(target)
        BOOST_TEST((router(http::get(target)).status() == http::status::bad_request));
    }
}

BOOST_AUTO_TEST_CASE(answers_400_for_a_parameter_of_the_wrong_type)
{
    const auto reply = router(http::get("/orders/7/lines/x"));

    BOOST_TEST((reply.status() == http::status::bad_request));
    BOOST_TEST(reply.header(http::field::content_type) == "application/problem+json");
    BOOST_TEST(reply.json<http::problem>().errors.at(0).pointer == "/path/line");
}

// RFC 9110 §15.5.6
BOOST_AUTO_TEST_CASE(answers_405_with_what_is_allowed)
{
    const auto reply = router(with_method(http::verb::put, "/orders"));
    BOOST_TEST((reply.status() == http::status::method_not_allowed));
    BOOST_TEST(reply.header(http::field::allow) == "GET, HEAD, POST, OPTIONS");

    const auto both =
        router(with_method(http::verb::put, "/orders/new")); // the form, and the order of that name
    BOOST_TEST(both.header(http::field::allow) == "DELETE, GET, HEAD, OPTIONS");

    http::request unknown = http::get("/orders");
    unknown.set_method(http::verb::unknown, "BREW");
    BOOST_TEST((router(unknown).status() == http::status::method_not_allowed));
}

BOOST_AUTO_TEST_CASE(answers_options_with_what_is_allowed)
{
    const auto reply = router(http::options("/orders"));

    BOOST_TEST((reply.status() == http::status::no_content));
    BOOST_TEST(reply.header(http::field::allow) == "GET, HEAD, POST, OPTIONS");
    BOOST_TEST(reply.body() == "");
    BOOST_TEST((router(http::options("*")).status() == http::status::no_content));
    BOOST_TEST((router(http::options("/nothing")).status() == http::status::not_found));
}

// The wire leaves the body out, and keeps its length.
BOOST_AUTO_TEST_CASE(serves_head_by_the_route_of_get)
{
    BOOST_TEST(router(http::head("/orders/7")).body() == "one 7");

    router.add(http::verb::head, "/orders/{id}", [](const http::request&) { return http::reply("own"); });
    BOOST_TEST(router(http::head("/orders/7")).body() == "own");
}

BOOST_AUTO_TEST_CASE(refuses_patterns_that_cannot_be_meant)
{
    using heddle::config_error;
    for (const char* pattern :
         {"", "orders", "/{}", "/{id", "/id}", "/a{id}", "/{id}b", "/{i-d}", "/{id}/x/{id}", "/{{id}}",
          "/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}", "/1/2/3/4/5/6/7/8/9/0/1/2/3/4/5/6/7"}) {
        BOOST_TEST_CONTEXT(pattern)
        BOOST_CHECK_THROW(router.get(pattern, says("x")), config_error);
    }
    BOOST_CHECK_THROW(router.get("/orders/{other}", says("x")), config_error); // the same paths as {id}
    BOOST_CHECK_THROW(router.post("/orders", says("x")), config_error);
    BOOST_CHECK_THROW(router.add(http::verb::get, "/empty", http::handler()), config_error);
}

BOOST_AUTO_TEST_CASE(can_be_copied)
{
    std::optional<http::router> original(router);
    const http::router copy = *original;
    original.reset();

    BOOST_TEST(to(copy, "/orders/7/lines/3") == "7/3");
}

BOOST_AUTO_TEST_CASE(names_the_route_to_request_and_scope)
{
    heddle::testing::runtime runtime;
    heddle::fiber::scope scope{{}};
    std::string seen;
    router.get("/seen/{x}", [&](const http::request& req) {
        seen = std::string(req.route()) + " " + std::string(heddle::fiber::scope::current()->route());
        return "";
    });

    router(http::get("/seen/1"));

    BOOST_TEST(seen == "/seen/{x} /seen/{x}");
}

BOOST_AUTO_TEST_SUITE_END()
