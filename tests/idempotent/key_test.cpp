// What is a key, and what makes two requests the same.
#include "idempotent/key.hpp"

#include <heddle/http/problem.hpp>

#define BOOST_TEST_MODULE key
#include <boost/test/unit_test.hpp>

#include <string>

namespace http = heddle::http;
namespace idempotent = heddle::idempotent;

using idempotent::key_in;

namespace {

http::request order(const char* body = "{}")
{
    return http::post("/orders", body).with_header("Idempotency-Key", "k1");
}

idempotent::key key_of(const http::request& req, std::string_view principal = {})
{
    return idempotent::key_of(req, principal).value();
}

} // namespace

BOOST_AUTO_TEST_SUITE(a_key)

BOOST_AUTO_TEST_CASE(is_a_string_in_quotes_or_stands_as_it_is)
{
    BOOST_TEST(key_in("\"8e03978e-40d5-43dd-bc93-6894a57f9324\"").value() ==
               "8e03978e-40d5-43dd-bc93-6894a57f9324");
    BOOST_TEST(key_in("8e03978e-40d5-43dd-bc93-6894a57f9324").value() ==
               "8e03978e-40d5-43dd-bc93-6894a57f9324");
    BOOST_TEST(key_in(R"("a \"b\" \\ c, d;e")").value() == R"(a "b" \ c, d;e)");
    BOOST_TEST(key_in("a:b/c=d").value() == "a:b/c=d");
    BOOST_TEST(key_in(std::string(255, 'k')).value().size() == 255U);
    BOOST_TEST(key_in('"' + std::string(255, 'k') + '"').value().size() == 255U);
}

BOOST_AUTO_TEST_CASE(is_refused_where_it_is_neither)
{
    const std::string too_long(256, 'k');
    for (const std::string& field : {std::string(),
                                     std::string("\"\""),
                                     std::string("\""),
                                     std::string("\"a"),
                                     std::string("a\""),
                                     std::string("\"a\"b"),
                                     std::string("\"a\";p=1"),
                                     std::string("\"a\", \"b\""),
                                     std::string("a,b"),
                                     std::string("a b"),
                                     std::string("a\\b"),
                                     std::string("\"a\\"),
                                     std::string("\"a\\b\""),
                                     std::string("\"a\tb\""),
                                     std::string("a\x01"),
                                     std::string("\"\x7f\""),
                                     std::string("\xc3\xa9"),
                                     std::string("\"\xc3\xa9\""),
                                     std::string("a\0b", 3),
                                     too_long,
                                     '"' + too_long + '"'})
        BOOST_TEST(!key_in(field).has_value(), field);
}

BOOST_AUTO_TEST_CASE(cut_off_anywhere_is_none)
{
    const std::string whole = R"("a \"b\" \\")";
    for (std::size_t size = 0; size < whole.size(); ++size)
        BOOST_TEST(!key_in(whole.substr(0, size)).has_value(), whole.substr(0, size));
}

BOOST_AUTO_TEST_CASE(of_a_request_is_its_one_field)
{
    BOOST_TEST(!idempotent::key_of(http::post("/orders", "{}"), {}).has_value());
    BOOST_TEST(key_of(http::post("/", "").with_header("idempotency-key", "\"k\"")).text == "k");
    BOOST_CHECK_THROW(key_of(order().with_header("Idempotency-Key", "k1")), http::bad_request);
    BOOST_CHECK_THROW(key_of(http::post("/", "").with_header("Idempotency-Key", "")), http::bad_request);
}

BOOST_AUTO_TEST_CASE(holds_for_principal_method_and_path)
{
    const auto scope = key_of(order()).scope;

    BOOST_TEST(scope.size() == 32U);
    BOOST_TEST((key_of(order("{ }")).scope == scope));
    BOOST_TEST((key_of(http::post("/orders?a=1", "").with_header("Idempotency-Key", "k2")).scope == scope));
    BOOST_TEST((key_of(order(), "ada").scope != scope));
    BOOST_TEST((key_of(order(), "ada").scope != key_of(order(), "bob").scope));
    BOOST_TEST((key_of(http::put("/orders", "{}").with_header("Idempotency-Key", "k1")).scope != scope));
    BOOST_TEST((key_of(http::post("/notes", "{}").with_header("Idempotency-Key", "k1")).scope != scope));
    // What one part ends with does not begin the next.
    BOOST_TEST((key_of(http::post("/b", "").with_header("Idempotency-Key", "k"), "aPOST").scope !=
                key_of(http::post("/b", "").with_header("Idempotency-Key", "k"), "a").scope));
}

BOOST_AUTO_TEST_CASE(stands_for_query_media_type_and_body)
{
    const auto of = [](std::string_view target, const char* type, const char* body) {
        http::request req(http::verb::post, target);
        req.with_header("Idempotency-Key", "k1").with_header("Content-Type", type).set_body(body);
        return key_of(req).fingerprint;
    };
    const auto first = of("/orders?a=1", "application/json", "{}");

    BOOST_TEST((of("/orders?a=1", "Application/JSON ; charset=utf-8", "{}") == first));
    BOOST_TEST((of("http://host/orders?a=1", "application/json", "{}") == first));
    BOOST_TEST((of("/orders?a=2", "application/json", "{}") != first));
    BOOST_TEST((of("/orders?a=1", "text/json", "{}") != first));
    BOOST_TEST((of("/orders?a=1", "application/json", "{ }") != first));
}

BOOST_AUTO_TEST_SUITE_END()
