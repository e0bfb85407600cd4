// Who is let in by a token, and what the others are told.
#include <heddle/base/error.hpp>
#include <heddle/http/bearer_token.hpp>
#include <heddle/http/middleware.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

namespace http = heddle::http;

namespace {

struct guarded
{
    std::string asked; // what the hook was asked for
    http::handler app = http::chain({http::bearer_token([this](std::string_view token) {
                                        asked = token;
                                        return http::equal_in_constant_time(token, "s3cret==");
                                    })},
                                    [](const http::request&) { return "in"; });

    http::response with(std::string_view authorization) const
    {
        return app(http::get("/").with_header("Authorization", authorization));
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(a_bearer_token)

BOOST_FIXTURE_TEST_CASE(lets_in, guarded)
{
    for (const char* value : {"Bearer s3cret==", "bearer s3cret==", "BEARER   s3cret=="})
        BOOST_TEST(with(value).body() == "in", value);
}

BOOST_FIXTURE_TEST_CASE(that_is_missing_is_asked_for, guarded)
{
    for (const http::response& answer :
         {app(http::get("/")), with("Basic czNjcmV0"), with("Bearer"), with("")}) {
        BOOST_TEST(static_cast<unsigned>(answer.status()) == 401u);
        BOOST_TEST(answer.header(http::field::www_authenticate) == "Bearer realm=\"heddle\"");
    }
}

BOOST_FIXTURE_TEST_CASE(that_is_wrong_is_called_so, guarded)
{
    for (const char* value : {"Bearer other", "Bearer s3cret", "Bearer s3cret== x",
                              "Bearer =", "Bearer \"s3cret==\"", "Bearer s3cret==, Bearer s3cret=="}) {
        const http::response answer = with(value);
        BOOST_TEST(static_cast<unsigned>(answer.status()) == 401u, value);
        BOOST_TEST(answer.header(http::field::www_authenticate) ==
                   "Bearer realm=\"heddle\", error=\"invalid_token\"");
    }
    BOOST_TEST(asked == "s3cret"); // the malformed ones are nobody's business
}

BOOST_FIXTURE_TEST_CASE(that_comes_twice_is_refused, guarded)
{
    const http::response answer = app(http::get("/")
                                          .with_header("Authorization", "Bearer s3cret==")
                                          .with_header("Authorization", "Bearer s3cret=="));

    BOOST_TEST(static_cast<unsigned>(answer.status()) == 400u);
    BOOST_TEST(answer.header(http::field::www_authenticate) ==
               "Bearer realm=\"heddle\", error=\"invalid_request\"");
}

BOOST_AUTO_TEST_CASE(has_a_realm_that_can_be_quoted)
{
    BOOST_CHECK_THROW(http::bearer_token([](std::string_view) { return true; }, "a\"b"),
                      heddle::config_error);
    BOOST_CHECK_THROW(http::bearer_token([](std::string_view) { return true; }, "a\r\nb"),
                      heddle::config_error);
}

BOOST_AUTO_TEST_SUITE_END()
