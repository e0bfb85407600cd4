// Redirects, and the tricks that make one lead elsewhere.
#include <heddle/base/error.hpp>
#include <heddle/http/problem.hpp>
#include <heddle/http/redirects.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

namespace http = heddle::http;

BOOST_AUTO_TEST_SUITE(a_redirect)

BOOST_AUTO_TEST_CASE(leads_to_a_path_of_this_site)
{
    const http::response answer = http::redirect("/orders/7?page=2&x=a%20b#top");

    BOOST_TEST(static_cast<unsigned>(answer.status()) == 303u);
    BOOST_TEST(answer.header(http::field::location) == "/orders/7?page=2&x=a%20b#top");
    BOOST_TEST(answer.body() == "");
    for (const char* path : {"/", "/x//y", "/http://evil.example", "/@evil.example", "/?next=//evil.example"})
        BOOST_TEST(http::redirect(path).header(http::field::location) == path);
}

BOOST_AUTO_TEST_CASE(does_not_leave_it_by_any_known_trick)
{
    for (const std::string& path : {std::string(),
                                    std::string("//evil.example"),
                                    std::string("///evil.example"),
                                    std::string("/\\evil.example"),
                                    std::string("\\\\evil.example"),
                                    std::string("\\/evil.example"),
                                    std::string("/\t/evil.example"),
                                    std::string("/\n/evil.example"),
                                    std::string("/\r\nSet-Cookie: a=b"),
                                    std::string("/\0/evil.example", 15),
                                    std::string(" //evil.example"),
                                    std::string("\t//evil.example"),
                                    std::string("https://evil.example"),
                                    std::string("https:evil.example"),
                                    std::string("http:/\\evil.example"),
                                    std::string("javascript:alert(1)"),
                                    std::string("data:text/html,x"),
                                    std::string("evil.example"),
                                    std::string("@evil.example"),
                                    std::string(".evil.example"),
                                    std::string("?x"),
                                    std::string("#x"),
                                    std::string("../x"),
                                    std::string("%2f%2fevil.example"),
                                    std::string("/x\x7f"),
                                    std::string("\xe3\x80\x82//evil.example")}) {
        BOOST_TEST(!http::is_on_this_site(path), path);
        BOOST_CHECK_THROW(http::redirect(path), http::bad_request);
    }
}

BOOST_AUTO_TEST_CASE(encodes_what_may_not_stand_in_a_url)
{
    const auto location = [](std::string_view path) {
        return std::string(http::redirect(path).header(http::field::location));
    };

    BOOST_TEST(location("/a b\"<>`{|}^") == "/a%20b%22%3C%3E%60%7B%7C%7D%5E");
    BOOST_TEST(location("/x\\y") == "/x%5Cy");
    BOOST_TEST(location("/\xC3\xA9") == "/%C3%A9");
    BOOST_TEST(location("/100%") == "/100%25");
    BOOST_TEST(location("/%4") == "/%254");
    BOOST_TEST(location("/%zz%2f") == "/%25zz%2f");
}

BOOST_AUTO_TEST_CASE(has_a_status_that_is_one)
{
    for (const unsigned status : {301u, 302u, 303u, 307u, 308u})
        BOOST_TEST((static_cast<unsigned>(http::redirect("/", static_cast<http::status>(status)).status()) ==
                    status));
    for (const unsigned status : {200u, 300u, 304u, 305u, 306u, 400u})
        BOOST_CHECK_THROW(http::redirect("/", static_cast<http::status>(status)), heddle::error);
}

BOOST_AUTO_TEST_CASE(to_another_site_is_asked_for_by_name)
{
    BOOST_TEST(http::redirect_to_site("https://a.example:8443/x y", http::status::found).header("Location") ==
               "https://a.example:8443/x%20y");
    for (const char* wrong :
         {"", "/x", "//a.example", "ftp://a.example", "javascript:alert(1)", "https://", "https:///x",
          "https://user@a.example", "https://a.example\r\nX: y", "https://a b/", "https:\\\\a.example"})
        BOOST_CHECK_THROW(http::redirect_to_site(wrong), heddle::error);
}

BOOST_AUTO_TEST_SUITE_END()
