// Where the client follows a redirect, and with what.
#include "client_fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace {

std::string redirect(std::string_view status, std::string_view to)
{
    return "HTTP/1.1 " + std::string(status) + " There\r\nLocation: " + std::string(to) +
           "\r\nContent-Length: 4\r\n\r\nthis";
}

struct redirect_fixture : client_fixture
{
    std::string answer; // of the first request; of all others it is pong
    int asked_for = 0;
    std::string sent; // the last request

    redirect_fixture()
    {
        options.max_redirects = 3;
        options.redirects_to_other_origins = true;
        script = [this](auto& peer, std::string_view written) {
            peer.arrive(asked_for++ == 0 ? answer : pong);
            sent = written;
        };
    }

    // The second request's bytes, after the first was answered with a redirect.
    std::string next(http::request request)
    {
        asked_for = 0;
        peers.clear();
        http::client client(options);
        ask(client, std::move(request));
        return asked_for > 1 ? sent : "";
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(a_redirect, redirect_fixture)

BOOST_AUTO_TEST_CASE(is_the_answer_unless_it_may_be_followed)
{
    for (const char* to : {"http://other/", "https://other/", "//pricing:1/", "mailto:a@b", "http://"}) {
        asked_for = 0;
        answer = redirect("302", to);
        options.redirects_to_other_origins = false;
        http::client client(options);
        BOOST_TEST(ask(client, http::get("/"))->answer.value().status() == http::status::found, to);
    }
    answer = redirect("302", "/there");
    options.max_redirects = 0;
    asked_for = 0;
    http::client never(options);
    BOOST_TEST(ask(never, http::get("/"))->answer.value().body() == "this");
}

BOOST_AUTO_TEST_CASE(is_the_answer_if_it_leads_nowhere_that_can_be_asked)
{
    for (const char* to : {"/a b", "/\xc3\xa4", "/a\\b"}) {
        asked_for = 0;
        answer = redirect("302", to);
        http::client client(options);
        const auto asked = ask(client, http::get("/"));
        BOOST_TEST_REQUIRE(asked->answer.has_value(), to);
        BOOST_TEST(asked->answer->status() == http::status::found, to);
    }
}

BOOST_AUTO_TEST_CASE(leads_to_what_its_location_means)
{
    const std::vector<std::pair<std::string, std::string>> cases{{"/there?x=1#part", "/there?x=1"},
                                                                 {"there", "/a/there"},
                                                                 {"?c", "/a/b?c"},
                                                                 {"../up/./x", "/up/x"},
                                                                 {"http://pricing:9000/abs", "/abs"},
                                                                 {"//pricing:9000", "/"},
                                                                 {"../../..", "/"}};
    for (const auto& one : cases) {
        answer = redirect("302", one.first);
        BOOST_TEST(next(http::get("/a/b?q")) ==
                   "GET " + one.second + " HTTP/1.1\r\nHost: pricing:9000\r\n\r\n");
        BOOST_TEST(peers.size() == 1u); // on the same connection
    }
}

BOOST_AUTO_TEST_CASE(keeps_the_method_and_body_where_it_has_to)
{
    for (const char* status : {"307", "308"}) {
        answer = redirect(status, "/b");
        BOOST_TEST(next(http::post("/", "{}")) ==
                   "POST /b HTTP/1.1\r\nHost: pricing:9000\r\nContent-Type: application/json\r\n"
                   "Content-Length: 2\r\n\r\n{}");
    }
    for (const char* status : {"301", "302", "303"}) {
        answer = redirect(status, "/b");
        BOOST_TEST(next(http::post("/", "{}")) == "GET /b HTTP/1.1\r\nHost: pricing:9000\r\n\r\n");
        BOOST_TEST(next(http::head("/")) == "HEAD /b HTTP/1.1\r\nHost: pricing:9000\r\n\r\n");
    }
    answer = redirect("302", "/b");
    BOOST_TEST(next(http::put("/", "{}")).starts_with("PUT /b "));
}

BOOST_AUTO_TEST_CASE(to_another_origin_takes_no_secrets_along)
{
    const auto secret = http::get("/").with_header("Authorization", "Bearer x").with_header("Cookie", "a=b");

    answer = redirect("302", "/b");
    BOOST_TEST(next(secret) ==
               "GET /b HTTP/1.1\r\nHost: pricing:9000\r\nAuthorization: Bearer x\r\nCookie: a=b\r\n\r\n");
    answer = redirect("302", "http://other/b");
    BOOST_TEST(next(secret) == "GET /b HTTP/1.1\r\nHost: other\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(never_leads_out_of_tls)
{
    options.origin = "https://pricing";
    answer = redirect("302", "http://pricing/");

    BOOST_TEST(next(http::get("/")) == "");
}

BOOST_AUTO_TEST_CASE(is_followed_a_few_times_only)
{
    script = [](auto& peer, auto) { peer.arrive(redirect("302", "/again")); };
    http::client client(options);

    const auto asked = ask(client, http::get("/"));

    BOOST_TEST((asked->failure == kind::upstream), asked->what);
    BOOST_TEST(client.counters().redirects.value() == 3u);
}

BOOST_AUTO_TEST_CASE(is_the_answer_to_a_body_that_is_gone)
{
    answer = redirect("307", "/b");
    script = [this](auto& peer, std::string_view sent) {
        if (sent.ends_with("0\r\n\r\n"))
            peer.arrive(answer);
    };
    http::client client(options);

    const auto asked = start(
        [&] { return client(http::post("/", ""), http::upload{[](http::sink& out) { out.write("a"); }}); });

    BOOST_TEST(asked->answer.value().status() == http::status::temporary_redirect);
}

BOOST_AUTO_TEST_SUITE_END()
