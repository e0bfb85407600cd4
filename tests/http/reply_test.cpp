// From what handlers return to responses, and from an upstream's response to a value.

#include <boost/test/unit_test.hpp>

#include <heddle/base/error.hpp>
#include <heddle/http/router.hpp>

#include <boost/describe.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace http = heddle::http;

namespace {

struct item
{
    std::int64_t id;
};
BOOST_DESCRIBE_STRUCT(item, (), (id))

http::result<item> find(const http::request& req)
{
    const auto id = req.path<std::int64_t>("id");
    if (id > 9)
        return http::problem::not_found("there is no item " + std::to_string(id));
    return item{id};
}

http::result<http::created<item>> make(const http::request& req)
{
    auto made = req.json<item>();
    if (made.id < 0)
        return http::problem::invalid("/id", "must be at least 0");
    return http::created{"/items/" + std::to_string(made.id), std::move(made)};
}

struct shapes_fixture
{
    http::router router;

    shapes_fixture()
    {
        router.get("/items/{id}", find);
        router.post("/items", make);
        router.get("/list", [](const http::request&) { return std::vector<item>{{1}, {2}}; });
        router.get("/text", [](const http::request&) { return "text"; });
        router.get("/number", [](const http::request&) { return 42; });
        router.del("/items/{id}", [](const http::request&) {});
        router.get("/problem", [](const http::request&) { return http::problem::conflict("no"); });
        router.get("/own", [](const http::request&) { return http::reply(http::status::accepted, item{3}); });
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(a_handler, shapes_fixture)

BOOST_AUTO_TEST_CASE(may_return_a_described_value)
{
    const auto reply = router(http::get("/items/7"));

    BOOST_TEST((reply.status() == http::status::ok));
    BOOST_TEST(reply.header(http::field::content_type) == "application/json");
    BOOST_TEST(reply.body() == R"({"id":7})");
}

BOOST_AUTO_TEST_CASE(may_return_a_problem_instead)
{
    const auto reply = router(http::get("/items/10"));

    BOOST_TEST((reply.status() == http::status::not_found));
    BOOST_TEST(reply.json<http::problem>().detail == "there is no item 10");
    BOOST_TEST((router(http::get("/problem")).status() == http::status::conflict));
}

BOOST_AUTO_TEST_CASE(may_return_something_created)
{
    const auto reply = router(http::post("/items", R"({"id":5})"));

    BOOST_TEST((reply.status() == http::status::created));
    BOOST_TEST(reply.header(http::field::location) == "/items/5");
    BOOST_TEST(reply.json<item>().id == 5);
}

BOOST_AUTO_TEST_CASE(is_told_what_cannot_be_read_apart_from_what_breaks_a_rule)
{
    BOOST_TEST((router(http::post("/items", R"({"id":"5"})")).status() == http::status::bad_request));
    BOOST_TEST((router(http::post("/items", R"({"id":-5})")).status() == http::status::unprocessable_entity));
}

BOOST_AUTO_TEST_CASE(may_return_lists_text_numbers_and_nothing)
{
    BOOST_TEST(router(http::get("/list")).body() == R"([{"id":1},{"id":2}])");
    BOOST_TEST(router(http::get("/text")).body() == "text");
    BOOST_TEST(router(http::get("/text")).header(http::field::content_type) == "text/plain; charset=utf-8");
    BOOST_TEST(router(http::get("/number")).body() == "42");
    BOOST_TEST((router(http::del("/items/1")).status() == http::status::no_content));
    BOOST_TEST((router(http::get("/own")).status() == http::status::accepted));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(expecting_an_upstream)

BOOST_AUTO_TEST_CASE(gives_its_value_and_passes_over_what_is_new)
{
    http::response grown(http::status::ok, "application/json", R"({"id":7,"since":"v2"})");

    BOOST_TEST(http::expect<item>(grown).id == 7);
}

BOOST_AUTO_TEST_CASE(blames_it_for_a_failure_and_for_nonsense)
{
    const auto kind_of = [](const http::response& answer) {
        try {
            http::expect<item>(answer);
        } catch (const heddle::error& e) {
            return static_cast<int>(e.kind());
        }
        return -1;
    };
    BOOST_TEST(kind_of(http::response(http::status::internal_server_error)) ==
               static_cast<int>(heddle::kind::upstream));
    BOOST_TEST(kind_of(http::response(http::status::not_found)) == static_cast<int>(heddle::kind::upstream));
    BOOST_TEST(kind_of(http::response(http::status::gateway_timeout)) ==
               static_cast<int>(heddle::kind::upstream_timeout));
    BOOST_TEST(kind_of(http::response(http::status::ok, "text/html", "<html>")) ==
               static_cast<int>(heddle::kind::upstream));
    BOOST_TEST(kind_of(http::response(http::status::ok, "application/json", R"({"id":"7"})")) ==
               static_cast<int>(heddle::kind::upstream));
}

BOOST_AUTO_TEST_SUITE_END()
