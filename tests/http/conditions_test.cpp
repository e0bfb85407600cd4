// Conditional requests against what is there, and tags of what is answered.
#include "http/siphash.hpp"

#include <heddle/base/error.hpp>
#include <heddle/http/etag.hpp>
#include <heddle/http/middleware.hpp>

#include <boost/test/unit_test.hpp>

#include <ctime>
#include <string>

namespace http = heddle::http;
using http::verb;

namespace {

const auto modified = std::chrono::system_clock::from_time_t(784111777); // Sun, 06 Nov 1994 08:49:37 GMT
constexpr const char* same_time = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr const char* before = "Sun, 06 Nov 1994 08:49:36 GMT";
constexpr const char* after = "Sun, 06 Nov 1994 08:49:38 GMT";

struct fields
{
    const char* name;
    const char* value;
    const char* second_name = nullptr;
    const char* second_value = nullptr;
};

http::request asked(verb method, const fields& with)
{
    http::request req(method, "/x");
    req.with_header(with.name, with.value);
    if (with.second_name)
        req.with_header(with.second_name, with.second_value);
    return req;
}

unsigned status_of(const http::request& req, const http::validators& now)
{
    const auto instead = http::unmet_condition(req, now);
    return instead ? static_cast<unsigned>(instead->status()) : 0;
}

struct row
{
    verb method;
    fields with;
    unsigned expected; // 0: goes on
};

} // namespace

BOOST_AUTO_TEST_SUITE(conditions)

// RFC 9110 sections 13.1.1 to 13.1.4, 8.8.3.2
BOOST_AUTO_TEST_CASE(are_held_against_what_is_there)
{
    const row rows[] = {
        {verb::get, {"If-None-Match", "\"a\""}, 304},
        {verb::head, {"If-None-Match", "\"a\""}, 304},
        {verb::put, {"If-None-Match", "\"a\""}, 412},
        {verb::get, {"If-None-Match", "W/\"a\""}, 304}, // weak comparison
        {verb::get, {"If-None-Match", "\"b\""}, 0},
        {verb::get, {"If-None-Match", "\"b\" , \"c,d\",\"a\""}, 304},
        {verb::get, {"If-None-Match", "\"b,\"a\""}, 0}, // no tag of ours among these
        {verb::get, {"If-None-Match", "a"}, 0},
        {verb::get, {"If-None-Match", "*"}, 304},
        {verb::put, {"If-None-Match", "*"}, 412},
        {verb::get, {"If-None-Match", "\"b\"", "If-None-Match", "\"a\""}, 304},
        {verb::put, {"If-Match", "\"a\""}, 0},
        {verb::put, {"If-Match", "\"b\", \"a\""}, 0},
        {verb::put, {"If-Match", "W/\"a\""}, 412}, // strong comparison
        {verb::put, {"If-Match", "\"b\""}, 412},
        {verb::get, {"If-Match", "\"b\""}, 412},
        {verb::put, {"If-Match", "*"}, 0},
        {verb::put, {"If-Match", ""}, 412},
        {verb::get, {"If-Modified-Since", same_time}, 304},
        {verb::get, {"If-Modified-Since", after}, 304},
        {verb::get, {"If-Modified-Since", before}, 0},
        {verb::get, {"If-Modified-Since", "yesterday"}, 0},
        {verb::post, {"If-Modified-Since", same_time}, 0},
        {verb::put, {"If-Unmodified-Since", same_time}, 0},
        {verb::put, {"If-Unmodified-Since", before}, 412},
        {verb::put, {"If-Unmodified-Since", "yesterday"}, 0},
    };
    for (const row& r : rows)
        BOOST_TEST(status_of(asked(r.method, r.with), {.etag = "\"a\"", .last_modified = modified}) ==
                       r.expected,
                   r.with.name << ": " << r.with.value);
}

// RFC 9110 section 13.2.2
BOOST_AUTO_TEST_CASE(with_tags_go_before_those_with_dates)
{
    const row rows[] = {
        {verb::put, {"If-Unmodified-Since", before, "If-Match", "\"a\""}, 0},
        {verb::put, {"If-Unmodified-Since", same_time, "If-Match", "\"b\""}, 412},
        {verb::get, {"If-Modified-Since", same_time, "If-None-Match", "\"b\""}, 0},
        {verb::get, {"If-Modified-Since", before, "If-None-Match", "\"a\""}, 304},
        {verb::get, {"If-None-Match", "\"a\"", "If-Match", "\"b\""}, 412},
        {verb::get, {"If-None-Match", "\"a\"", "If-Match", "\"a\""}, 304},
    };
    for (const row& r : rows)
        BOOST_TEST(status_of(asked(r.method, r.with), {.etag = "\"a\"", .last_modified = modified}) ==
                       r.expected,
                   r.with.name << ": " << r.with.value << "; " << r.with.second_name);
}

BOOST_AUTO_TEST_CASE(on_what_is_not_there_let_it_be_made_and_not_changed)
{
    const http::validators none{.exists = false};

    BOOST_TEST(status_of(asked(verb::put, {"If-None-Match", "*"}), none) == 0u);
    BOOST_TEST(status_of(asked(verb::put, {"If-Match", "*"}), none) == 412u);
    BOOST_TEST(status_of(asked(verb::put, {"If-Match", "\"a\""}), none) == 412u);
}

BOOST_AUTO_TEST_CASE(weak_tags_are_never_good_enough_to_write)
{
    const http::validators weak{.etag = "W/\"a\""};

    BOOST_TEST(status_of(asked(verb::put, {"If-Match", "W/\"a\""}), weak) == 412u);
    BOOST_TEST(status_of(asked(verb::get, {"If-None-Match", "\"a\""}), weak) == 304u);
}

BOOST_AUTO_TEST_CASE(answer_304_with_the_validators_and_no_body)
{
    const auto answer = http::unmet_condition(asked(verb::get, {"If-None-Match", "*"}),
                                              {.etag = "\"a\"", .last_modified = modified});

    BOOST_TEST_REQUIRE(answer.has_value());
    BOOST_TEST(answer->header(http::field::etag) == "\"a\"");
    BOOST_TEST(answer->header(http::field::last_modified) == same_time);
    BOOST_TEST(answer->header(http::field::content_type) == "");
    BOOST_TEST(answer->body() == "");
}

BOOST_AUTO_TEST_CASE(take_no_tag_that_is_none)
{
    for (const char* wrong : {"a", "\"a", "w/\"a\"", "\"a b\"", "\"a\"b\"", "W/a"})
        BOOST_CHECK_THROW(http::unmet_condition(http::get("/"), {.etag = wrong}), heddle::error);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(etag)

// The first vectors of the authors' reference code, whose key and texts count upwards from 0.
BOOST_AUTO_TEST_CASE(is_made_with_siphash_as_its_authors_have_it)
{
    const http::hash_key key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};

    BOOST_TEST((http::siphash(key, "") == http::hash_value{0xe6a825ba047f81a3, 0x930255c71472f66d}));
    BOOST_TEST((http::siphash(key, std::string(1, '\0')) ==
                http::hash_value{0x44af996bd8c187da, 0x45fc229b11597634}));
}

BOOST_AUTO_TEST_CASE(tells_contents_apart)
{
    BOOST_TEST(http::etag_of("a") == http::etag_of("a"));
    BOOST_TEST(http::etag_of("a") != http::etag_of("b"));
    BOOST_TEST(http::etag_of("") != http::etag_of(std::string(1, '\0')));
    BOOST_TEST(http::etag_of("a").size() == 34u);
}

BOOST_AUTO_TEST_CASE(spares_who_has_it_the_body)
{
    const http::handler app = http::chain({http::etag()}, [](const http::request&) {
        http::response answer = http::reply("hello");
        answer.set_header("Cache-Control", "max-age=1").set_header("Set-Cookie", "a=b");
        return answer;
    });
    const http::response first = app(http::get("/"));
    const std::string tag(first.header(http::field::etag));

    const http::response second = app(http::get("/").with_header("If-None-Match", tag));

    BOOST_TEST(first.body() == "hello");
    BOOST_TEST(tag == http::etag_of("hello"));
    BOOST_TEST((second.status() == http::status::not_modified));
    BOOST_TEST(second.header_lines() ==
               "Cache-Control: max-age=1\r\nSet-Cookie: a=b\r\nETag: " + tag + "\r\n");
    BOOST_TEST(second.body() == "");
}

BOOST_AUTO_TEST_CASE(leaves_alone_what_is_not_a_whole_answer_in_memory)
{
    const http::handler made = http::chain({http::etag()}, [](const http::request& req) {
        if (req.target() == "/stream")
            return http::stream("text/plain", [](http::sink&) {});
        if (req.target() == "/tagged")
            return http::response(http::reply("x")).set_header("ETag", "\"mine\"");
        return http::response(http::status::created, "text/plain", "x");
    });

    BOOST_TEST(made(http::get("/stream")).header(http::field::etag) == "");
    BOOST_TEST(made(http::get("/created")).header(http::field::etag) == "");
    BOOST_TEST(made(http::post("/tagged", "")).header(http::field::etag) == "\"mine\"");
    BOOST_TEST(made(http::get("/tagged")).header(http::field::etag) == "\"mine\"");
    BOOST_TEST((made(http::get("/tagged").with_header("If-None-Match", "\"mine\"")).status() ==
                http::status::not_modified));
}

BOOST_AUTO_TEST_SUITE_END()
