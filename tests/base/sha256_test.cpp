// The digest, against the standard's own examples.
#include <heddle/base/sha256.hpp>

#define BOOST_TEST_MODULE sha256
#include <boost/test/unit_test.hpp>

#include <string>

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
    heddle::sha256 digest;
    digest.add(text);
    return hexadecimal(digest.finish());
}

} // namespace

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
        heddle::sha256 digest;
        digest.add(std::string_view(text).substr(0, cut));
        digest.add(std::string_view(text).substr(cut));
        BOOST_TEST(hexadecimal(digest.finish()) == sha256_of(text), cut);
    }
}

BOOST_AUTO_TEST_SUITE_END()
