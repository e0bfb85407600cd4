// What is a key, and what makes two requests the same.
#include "idempotent/key.hpp"
#include "idempotent/sha256.hpp"

#include <heddle/http/problem.hpp>

#define BOOST_TEST_MODULE key
#include <boost/test/unit_test.hpp>

#include <string>

namespace http = heddle::http;
namespace idempotent = heddle::idempotent;

using idempotent::key_in;

namespace {

std::string hexadecimal(const std::string& bytes)
{
    std::string text;
    for (const char c : bytes)
        for (const int shift : {4, 0})
            text += "0123456789abcdef"[static_cast<unsigned char>(c) >> shift & 15];
    return text;
}

std::string sha256_of(const std::string& text)
{
    idempotent::sha256 digest;
    digest.add(text);
    return hexadecimal(digest.finish());
}

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

BOOST_AUTO_TEST_SUITE(sha256)

// Source: FIPS 180-4's examples, and NIST's long message.
BOOST_AUTO_TEST_CASE(is_what_the_standard_says)
{
    BOOST_TEST(sha256_of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    BOOST_TEST(sha256_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    BOOST_TEST(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    BOOST_TEST(sha256_of(std::string(1'000'000, 'a')) ==
               "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

BOOST_AUTO_TEST_CASE(does_not_depend_on_the_pieces)
{
    const std::string text(200, 'x');
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        idempotent::sha256 digest;
        digest.add(std::string_view(text).substr(0, cut));
        digest.add(std::string_view(text).substr(cut));
        BOOST_TEST(hexadecimal(digest.finish()) == sha256_of(text), cut);
    }
}

BOOST_AUTO_TEST_SUITE_END()
