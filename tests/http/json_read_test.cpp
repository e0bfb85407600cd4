// JSON from strangers: stored exactly, or refused with a pointer to what is wrong.

#define BOOST_TEST_MODULE json
#include <boost/test/unit_test.hpp>

#include <heddle/http/json.hpp>
#include <heddle/http/problem.hpp>

#include <boost/describe.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace http = heddle::http;

namespace {

enum class colour
{
    red,
    green
};
BOOST_DESCRIBE_ENUM(colour, red, green)

struct inner
{
    std::int64_t n;
};
BOOST_DESCRIBE_STRUCT(inner, (), (n))

struct outer
{
    std::string name;
    bool good;
    std::int32_t small;
    std::uint64_t large;
    double real;
    std::optional<std::string> note;
    std::vector<inner> list;
    std::map<std::string, std::int32_t> counts;
    colour paint;
};
BOOST_DESCRIBE_STRUCT(outer, (), (name, good, small, large, real, note, list, counts, paint))

struct whole
{
    std::int64_t n;
};
BOOST_DESCRIBE_STRUCT(whole, (), (n))

struct maybe
{
    std::optional<std::int32_t> n;
};
BOOST_DESCRIBE_STRUCT(maybe, (), (n))

// The pointer and detail that reading `text` as a T is refused with; "accepted" if it is not.
template <class T>
std::string refusal(std::string_view text, const http::json_options& options = {})
{
    try {
        http::from_json<T>(text, options);
    } catch (const http::bad_request& e) {
        return e.problem().errors.at(0).pointer + " " + e.problem().errors.at(0).detail;
    }
    return "accepted";
}

template <class T>
bool refuses(std::string_view text)
{
    return refusal<T>(text) != "accepted";
}

} // namespace

BOOST_AUTO_TEST_SUITE(reading_json)

BOOST_AUTO_TEST_CASE(fills_every_kind_of_member)
{
    const auto read =
        http::from_json<outer>(R"( { "name" : "tea", "good":true, "small":-7, "large":18446744073709551615,
        "real":2.5e-3, "note":null, "list":[{"n":1},{"n":2}], "counts":{"a":1,"b":2}, "paint":"green" } )");

    BOOST_TEST(read.name == "tea");
    BOOST_TEST(read.good);
    BOOST_TEST(read.small == -7);
    BOOST_TEST(read.large == UINT64_MAX);
    BOOST_TEST(read.real == 2.5e-3);
    BOOST_TEST(!read.note.has_value());
    BOOST_TEST(read.list.at(1).n == 2);
    BOOST_TEST(read.counts.at("b") == 2);
    BOOST_TEST((read.paint == colour::green));
}

BOOST_AUTO_TEST_CASE(names_the_place_of_what_is_wrong)
{
    BOOST_TEST(refusal<whole>(R"({"n":"1"})") == "/n must be a number");
    BOOST_TEST(refusal<std::vector<inner>>(R"([{"n":1},{"n":true}])") == "/1/n must be a number");
    BOOST_TEST(refusal<whole>(R"([])") == " must be an object");
    BOOST_TEST(refusal<whole>(R"({})") == "/n is missing");
    BOOST_TEST(refusal<whole>(R"({"n":1,"n":2})") == "/n is there twice");
    BOOST_TEST(refusal<whole>(R"({"n":1,"a/b~c":2})") == "/a~1b~0c is not known here");
    BOOST_TEST((refusal<std::map<std::string, bool>>(R"({"a":true,"a":true})")) == "/a is there twice");
    BOOST_TEST(refusal<colour>(R"("blue")") == " is none of the values it may have");
    BOOST_TEST(refusal<whole>(R"({"n":1} x)") == " is followed by something else");
    BOOST_TEST(refusal<whole>(R"({"n":1)") == " ends too early");
}

BOOST_AUTO_TEST_CASE(takes_an_optional_member_that_is_missing_or_null)
{
    BOOST_TEST(!http::from_json<maybe>("{}").n.has_value());
    BOOST_TEST(!http::from_json<maybe>(R"({"n":null})").n.has_value());
    BOOST_TEST(http::from_json<maybe>(R"({"n":5})").n.value() == 5);
}

BOOST_AUTO_TEST_CASE(passes_over_unknown_members_only_when_told_to)
{
    const std::string grown = R"({"n":1,"new":{"deep":[1,"\u00e9",null,true,{"x":-1.5e3}]},"n2":[]})";
    const http::json_options tolerant{.unknown_members = http::json_options::unknown::ignore};

    BOOST_TEST(refusal<whole>(grown) == "/new is not known here");
    BOOST_TEST(http::from_json<whole>(grown, tolerant).n == 1);
    BOOST_TEST(refusal<whole>(R"({"n":1,"new":[01]})", tolerant) != "accepted");
}

BOOST_AUTO_TEST_CASE(blames_the_upstream_when_told_to)
{
    const http::json_options options{.blame = heddle::kind::upstream};

    BOOST_CHECK_EXCEPTION(http::from_json<whole>("nonsense", options), heddle::error,
                          [](const heddle::error& e) { return e.kind() == heddle::kind::upstream; });
}

// Each prefix of a good text is refused, and none is read past its end.
BOOST_AUTO_TEST_CASE(refuses_every_prefix)
{
    const std::string good =
        R"({"name":"a\u00e9\n","good":true,"small":-7,"large":1,"real":2.5e-3,"note":null,)"
        R"("list":[{"n":1}],"counts":{"a":1},"paint":"green"})";
    BOOST_TEST(!refuses<outer>(good));

    for (std::size_t length = 0; length != good.size(); ++length) {
        const std::string cut(good.data(), length); // its own memory, for the sanitizer to watch
        BOOST_TEST_CONTEXT("length " << length)
        BOOST_TEST(refuses<outer>(cut));
    }
}

BOOST_AUTO_TEST_SUITE_END()
