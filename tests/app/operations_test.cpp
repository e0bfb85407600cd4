// The operations routes without sockets.
#include "operations.hpp"

#include <heddle/http/message.hpp>
#include <heddle/testing/runtime.hpp>

#define BOOST_TEST_MODULE operations
#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>

namespace http = heddle::http;

namespace {

struct fixture
{
    heddle::testing::runtime runtime;
    heddle::counter seen;
    heddle::metrics_page page;
    std::string why_not_started;
    std::string why_not;
    http::router app;

    fixture()
    {
        page.add("seen_total", "Seen.", seen);
        operations::mount(app, page,
                          {.started = [this] { return std::string_view(why_not_started); },
                           .ready = [this] { return std::string_view(why_not); }});
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(the_operations_routes, fixture)

BOOST_AUTO_TEST_CASE(are_alive_also_when_they_are_not_ready)
{
    why_not = "the database sleeps";

    BOOST_TEST(app(http::get("/healthz")).status() == http::status::ok);
    const auto reply = app(http::get("/readyz"));
    BOOST_TEST(reply.status() == http::status::service_unavailable);
    BOOST_TEST(reply.json<http::problem>().detail == "not ready: the database sleeps");
}

BOOST_AUTO_TEST_CASE(have_started_also_when_they_are_not_ready_any_more)
{
    why_not = "the database sleeps";
    BOOST_TEST(app(http::get("/startupz")).status() == http::status::ok);

    why_not_started = "the database is being prepared";
    BOOST_TEST(app(http::get("/startupz")).status() == http::status::service_unavailable);
}

BOOST_AUTO_TEST_CASE(are_ready_when_the_server_is)
{
    BOOST_TEST(app(http::get("/readyz")).status() == http::status::ok);
}

BOOST_AUTO_TEST_CASE(show_the_numbers_of_now)
{
    seen.add(3);

    const auto reply = app(http::get("/metrics"));

    BOOST_TEST(reply.header(http::field::content_type) == "text/plain; version=0.0.4; charset=utf-8");
    BOOST_TEST(reply.body().find("seen_total 3\n") != std::string_view::npos);
}

BOOST_AUTO_TEST_CASE(show_fibers_only_where_that_is_asked_for)
{
    http::router inside;
    operations::mount_debug(inside);

    BOOST_TEST(app(http::get("/debug/fibers")).status() == http::status::not_found);
    BOOST_TEST(inside(http::get("/debug/fibers")).status() == http::status::ok);
}

BOOST_AUTO_TEST_SUITE_END()
