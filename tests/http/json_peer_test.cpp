// Our reader beside Boost.JSON's parser: what one takes for JSON, the other does, over many small damaged
// texts.

#include <boost/test/unit_test.hpp>

#include <heddle/base/error.hpp>
#include <heddle/http/json.hpp>

#include <boost/json.hpp>

#include <random>
#include <string>
#include <string_view>

namespace http = heddle::http;

namespace {

bool we_accept(std::string_view text)
{
    http::json_reader in(text);
    try {
        in.skip();
        in.finish();
        return true;
    } catch (const heddle::error&) {
        return false;
    }
}

bool boost_accepts(std::string_view text)
{
    boost::json::error_code failure;
    boost::json::parse(boost::json::string_view(text.data(), text.size()), failure);
    return !failure;
}

std::string damage(std::string text, std::mt19937& random)
{
    constexpr std::string_view alphabet =
        "{}[]\",:\\/u0123456789eE+-.truefalsn \n\t\x01\x80\xC3\xA9\xED\xF0\x9F";
    const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    for (std::size_t i = 1 + below(3); i != 0; --i) {
        const std::size_t where = below(text.size());
        switch (below(3)) {
        case 0:
            text[where] = alphabet[below(alphabet.size())];
            break;
        case 1:
            text.insert(where, 1, alphabet[below(alphabet.size())]);
            break;
        default:
            text.erase(where, 1 + below(3));
            break;
        }
        if (text.empty())
            text = " ";
    }
    return text;
}

} // namespace

BOOST_AUTO_TEST_SUITE(json_beside_another_parser)

BOOST_AUTO_TEST_CASE(takes_the_same_texts)
{
    const std::string seeds[] = {
        R"({"name":"a\u00e9\n","good":true,"n":-7,"real":2.5e-3,"note":null,"list":[{"n":1},[]]})",
        R"(["\ud83d\ude00",0,-0.0,1E+2,false,"\\",{"":{}}])", "[[[[1,2],3],\"\xC3\xA9\"],{}]",
        " \"x\\\"y\" "};
    std::mt19937 random(20250101); // the same texts in every run
    std::string differs;
    int accepted = 0;

    for (int i = 0; i != 200'000 && differs.empty(); ++i) {
        const std::string text = damage(seeds[i % 4], random);
        const bool ours = we_accept(text);
        accepted += ours;
        if (ours != boost_accepts(text))
            differs = text;
    }

    BOOST_TEST(differs == "");
    BOOST_TEST(accepted > 1000);
}

BOOST_AUTO_TEST_SUITE_END()
