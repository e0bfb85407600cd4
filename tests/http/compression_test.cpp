// gzip answers: for whom, of what, and that they are what they were.
#include "http/accept_encoding.hpp"
#include "http/gzip.hpp"

#include <heddle/base/error.hpp>
#include <heddle/http/compression.hpp>
#include <heddle/http/etag.hpp>
#include <heddle/http/middleware.hpp>
#include <heddle/http/vary.hpp>
#include <heddle/testing/runtime.hpp>

#include <boost/test/unit_test.hpp>

#include <array>
#include <string>
#include <vector>

namespace http = heddle::http;

namespace {

const std::string long_text = [] {
    std::string text;
    for (int i = 0; i != 500; ++i)
        text += "line " + std::to_string(i) + "\n";
    return text;
}();

std::string unpacked(std::string_view packed)
{
    http::gzip_inflater inflater({});
    std::string text(1 << 20, '\0');
    text.resize(inflater.inflate(packed, text).made);
    return text;
}

http::request wants_gzip(std::string_view target = "/")
{
    return http::get(target).with_header("Accept-Encoding", "gzip");
}

http::response packed(http::response answer, const http::request& req = wants_gzip())
{
    return http::chain({http::compression()}, [&](const http::request&) { return answer; })(req);
}

http::response text_with(std::string_view name, std::string_view value)
{
    http::response answer = http::reply(long_text);
    answer.set_header(name, value);
    return answer;
}

bool is_packed(const http::response& answer)
{
    return answer.header(http::field::content_encoding) == "gzip";
}

struct pieces final : http::sink
{
    void write(std::string_view bytes) override { written.emplace_back(bytes); }
    std::vector<std::string> written;
};

} // namespace

BOOST_AUTO_TEST_SUITE(compression)

// RFC 9110 section 12.5.3
BOOST_AUTO_TEST_CASE(is_for_who_prefers_it)
{
    for (const char* value :
         {"gzip", "GZIP", "x-gzip", "br, gzip", "gzip;q=0.5", "gzip ; Q=1.000, identity;q=0.5", "*",
          "identity;q=0, *", "gzip;q=0.5, identity;q=0.5", "gzip;a=b;q=0.1", "gzip;q=1."})
        BOOST_TEST(http::prefers_gzip(http::get("/").with_header("Accept-Encoding", value)), value);
    for (const char* value :
         {"", "br", "gzip;q=0", "gzip;q=0.000, *", "*;q=0", "identity", "gzip;q=0.5, identity", "gzip;q=2",
          "gzip;q=", "gzip;q=0.0001", "gzip;q=-1", "gzipped", "g zip", ",,"})
        BOOST_TEST(!http::prefers_gzip(http::get("/").with_header("Accept-Encoding", value)), value);
    BOOST_TEST(!http::prefers_gzip(http::get("/")));
    BOOST_TEST(http::prefers_gzip(
        http::get("/").with_header("Accept-Encoding", "br").with_header("Accept-Encoding", "gzip")));
}

BOOST_AUTO_TEST_CASE(makes_a_body_smaller_and_keeps_what_it_says)
{
    const http::response answer = packed(text_with("ETag", "\"v1\""));

    BOOST_TEST(is_packed(answer));
    BOOST_TEST(answer.body().size() < long_text.size() / 2);
    BOOST_TEST(unpacked(answer.body()) == long_text);
    BOOST_TEST(answer.header(http::field::vary) == "Accept-Encoding");
    BOOST_TEST(answer.header(http::field::etag) == "W/\"v1\"");
}

BOOST_AUTO_TEST_CASE(says_that_it_depends_on_the_client_to_those_who_do_not_want_it_too)
{
    const http::response answer = packed(text_with("Vary", "Origin"), http::get("/"));

    BOOST_TEST(!is_packed(answer));
    BOOST_TEST(answer.body() == long_text);
    BOOST_TEST(answer.header(http::field::vary) == "Origin, Accept-Encoding");
}

BOOST_AUTO_TEST_CASE(leaves_alone_what_is_small_or_packed_or_not_to_be_changed)
{
    const http::response rows[] = {
        http::reply("small"),
        text_with("Content-Encoding", "br"),
        text_with("Cache-Control", "public, No-Transform"),
        text_with("Content-Range", "bytes 0-1/2"),
        text_with("Content-Type", "image/png"),
        text_with("Content-Type", "textual/plain"),
        http::response(http::status::partial_content, "text/plain", long_text),
        http::response(http::status::not_modified),
    };
    for (const http::response& row : rows) {
        const http::response answer = packed(row);
        BOOST_TEST(answer.header(http::field::content_encoding) == row.header(http::field::content_encoding));
        BOOST_TEST(answer.header(http::field::vary) == "");
        BOOST_TEST(answer.body() == row.body());
    }
    BOOST_TEST(is_packed(packed(text_with("Content-Type", "Application/JSON; charset=utf-8"))));
}

BOOST_AUTO_TEST_CASE(leaves_what_does_not_get_smaller)
{
    std::string noise;
    std::uint32_t x = 7;
    while (noise.size() < 2000)
        noise += static_cast<char>((x = x * 1664525 + 1013904223) >> 24);

    const http::response answer = packed(http::reply(noise));

    BOOST_TEST(!is_packed(answer));
    BOOST_TEST(answer.body() == noise);
}

BOOST_AUTO_TEST_CASE(lets_each_line_of_a_stream_be_read_at_once)
{
    const http::response answer = packed(http::stream("application/x-ndjson", [](http::sink& out) {
        for (const char* line : {"one\n", "two\n", "three\n"})
            out.write(line);
    }));
    pieces sent;

    answer.body_producer()(sent);

    BOOST_TEST(is_packed(answer));
    BOOST_TEST_REQUIRE(sent.written.size() == 4u); // and the end
    BOOST_TEST(unpacked(sent.written[0]) == "one\n");
    BOOST_TEST(unpacked(sent.written[0] + sent.written[1]) == "one\ntwo\n");
    http::gzip_inflater inflater({});
    std::array<char, 100> room;
    inflater.inflate(sent.written[0] + sent.written[1] + sent.written[2] + sent.written[3], room);
    BOOST_TEST((inflater.state() == http::gzip_inflater::stage::complete));
}

BOOST_AUTO_TEST_CASE(of_a_stream_that_fails_at_once_sends_nothing)
{
    const http::response answer = packed(http::stream(
        "text/plain", [](http::sink&) { throw heddle::overloaded(heddle::overloaded::why::full, "full"); }));
    pieces sent;

    BOOST_CHECK_THROW(answer.body_producer()(sent), heddle::overloaded);
    BOOST_TEST(sent.written.empty());
}

BOOST_AUTO_TEST_CASE(of_a_large_body_is_done_aside)
{
    heddle::testing::runtime runtime;
    const std::string large(1'000'000, 'x');
    http::response answer;

    runtime.spawn([&] { answer = packed(http::reply(large)); });
    runtime.run_ready();

    BOOST_TEST(is_packed(answer));
    BOOST_TEST((unpacked(answer.body()) == large));
}

BOOST_AUTO_TEST_CASE(goes_with_tags)
{
    const http::handler app =
        http::chain({http::compression(), http::etag()}, [](const http::request&) { return long_text; });
    const std::string tag(app(wants_gzip()).header(http::field::etag));

    const http::response again = app(wants_gzip().with_header("If-None-Match", tag));

    BOOST_TEST(tag == "W/" + http::etag_of(long_text));
    BOOST_TEST((again.status() == http::status::not_modified));
}

BOOST_AUTO_TEST_CASE(wants_a_level_that_there_is)
{
    BOOST_CHECK_THROW(http::compression({.level = 0}), heddle::config_error);
    BOOST_CHECK_THROW(http::compression({.level = 10}), heddle::config_error);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(vary)

BOOST_AUTO_TEST_CASE(names_each_field_once)
{
    http::response answer;
    for (const char* name : {"Origin", "Accept-Encoding", "origin", "ACCEPT-ENCODING"})
        http::add_vary(answer, name);
    BOOST_TEST(answer.header(http::field::vary) == "Origin, Accept-Encoding");

    answer.set_header("Vary", "*");
    http::add_vary(answer, "Origin");
    BOOST_TEST(answer.header(http::field::vary) == "*");
    BOOST_CHECK_THROW(http::add_vary(answer.set_header("Vary", "a"), "b\r\nc"), heddle::error);
}

BOOST_AUTO_TEST_SUITE_END()
