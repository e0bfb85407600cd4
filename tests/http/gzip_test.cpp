// gzip: what goes in comes out, in whatever pieces, and what is hostile is found out.
#define BOOST_TEST_MODULE gzip
#include "http/gzip.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <string>

namespace http = heddle::http;
using stage = http::gzip_inflater::stage;

namespace {

std::string pack(std::string_view plain, int level = 6)
{
    std::string out;
    http::gzip_deflater deflater(level, plain.size());
    deflater.write(plain, out);
    deflater.finish(out);
    return out;
}

struct unpacked
{
    std::string text;
    stage state;
};

// Gives it `step` bytes at a time, and `room` bytes of room.
unpacked unpack(std::string_view packed, std::size_t step = 1 << 20, std::size_t room = 4096,
                const http::gzip_inflater::limits& limits = {})
{
    http::gzip_inflater inflater(limits);
    std::string text, piece(room, '\0');
    while (!packed.empty()) {
        std::string_view given = packed.substr(0, step);
        packed.remove_prefix(given.size());
        for (;;) {
            const auto [taken, made] = inflater.inflate(given, piece);
            text.append(piece, 0, made);
            given.remove_prefix(taken);
            if (made < room || inflater.state() == stage::malformed || inflater.state() == stage::too_large)
                break;
        }
        if (!given.empty())
            break;
    }
    return {text, inflater.state()};
}

std::string noise(std::size_t size)
{
    std::string out;
    std::uint32_t x = 1;
    while (out.size() < size) {
        x = x * 1664525 + 1013904223;
        out += static_cast<char>(x >> 24);
    }
    return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(gzip)

BOOST_AUTO_TEST_CASE(gives_back_what_it_took_whatever_the_size)
{
    for (const std::size_t size : {0, 1, 100, 1023, 1024, 40000, 300000}) {
        for (const std::string& text : {std::string(size, 'a'), noise(size)}) {
            const unpacked out = unpack(pack(text));

            BOOST_TEST((out.state == stage::complete));
            BOOST_TEST((out.text == text));
        }
    }
}

BOOST_AUTO_TEST_CASE(does_not_care_how_it_is_cut_in_pieces)
{
    const std::string text = noise(500) + std::string(5000, 'b');
    const std::string packed = pack(text);
    for (const std::size_t step : {1, 2, 7, 100}) {
        for (const std::size_t room : {1, 3, 100}) {
            const unpacked out = unpack(packed, step, room);

            BOOST_TEST((out.state == stage::complete));
            BOOST_TEST((out.text == text));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_flush_lets_the_reader_have_all_so_far)
{
    http::gzip_deflater deflater(6);
    http::gzip_inflater inflater({});
    std::array<char, 100> room;
    for (const std::string line : {"first\n", "second\n", "third\n"}) {
        std::string packed;
        deflater.write(line, packed);
        deflater.flush(packed);

        const auto [taken, made] = inflater.inflate(packed, room);

        BOOST_TEST(taken == packed.size());
        BOOST_TEST(std::string(room.data(), made) == line);
    }
}

BOOST_AUTO_TEST_CASE(takes_several_members_for_one_text)
{
    for (const std::size_t step : {1, 1000}) {
        const unpacked out = unpack(pack("one, ") + pack("") + pack("two"), step);

        BOOST_TEST((out.state == stage::complete));
        BOOST_TEST(out.text == "one, two");
    }
}

BOOST_AUTO_TEST_CASE(a_prefix_is_never_complete)
{
    const std::string packed = pack("what is cut off says so");
    for (std::size_t size = 0; size != packed.size(); ++size)
        BOOST_TEST((unpack(packed.substr(0, size)).state == stage::going_on), "of size " << size);
}

BOOST_AUTO_TEST_CASE(finds_what_is_malformed)
{
    const std::string packed = pack("hello, hello, hello");
    std::string wrong_sum = packed, wrong_size = packed, wrong_method = packed;
    wrong_sum[packed.size() - 8] ^= 1;
    wrong_size[packed.size() - 1] ^= 1;
    wrong_method[2] = 7;
    for (const std::string& text :
         {wrong_sum, wrong_size, wrong_method, packed + "x", packed + std::string(9, '\0'),
          std::string("GET / HTTP/1.1"), std::string("x\x9c\x03\0", 4)})
        BOOST_TEST((unpack(text).state != stage::complete));
    for (const std::string& text : {wrong_sum, wrong_size, wrong_method, std::string("GET / HTTP/1.1")})
        BOOST_TEST((unpack(text).state == stage::malformed));
}

BOOST_AUTO_TEST_CASE(lets_out_no_more_than_may_come)
{
    const std::string packed = pack(std::string(1000, 'a'));

    BOOST_TEST((unpack(packed, 1000, 100, {.bytes = 1000}).state == stage::complete));
    const unpacked over = unpack(packed, 1000, 100, {.bytes = 999});
    BOOST_TEST((over.state == stage::too_large));
    BOOST_TEST(over.text.size() == 1000u); // at most one piece more
}

// Empty blocks, without end: nothing that comes out says that this is too much.
BOOST_AUTO_TEST_CASE(stops_what_makes_nothing)
{
    const std::string head("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
    std::string blocks;
    for (int i = 0; i != 1000; ++i)
        blocks.append("\0\0\0\xff\xff", 5);
    http::gzip_inflater inflater({});
    std::array<char, 100> room;
    inflater.inflate(head, room);
    int given = 0;
    while (inflater.state() == http::gzip_inflater::stage::going_on && given != 1000) {
        inflater.inflate(blocks, room);
        ++given;
    }

    BOOST_TEST((inflater.state() == http::gzip_inflater::stage::malformed));
    BOOST_TEST(given < 30);
}

BOOST_AUTO_TEST_CASE(stops_a_bomb_by_its_ratio)
{
    const std::string bomb = pack(std::string(64 << 20, '\0'));

    const unpacked out = unpack(bomb, 4096, 65536);

    BOOST_TEST((out.state == stage::too_large));
    BOOST_TEST(out.text.size() < 5u << 20);
    BOOST_TEST((unpack(pack(std::string(1 << 20, '\0'))).state == stage::complete)); // small ones may
}

BOOST_AUTO_TEST_SUITE_END()
