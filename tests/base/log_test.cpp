// What reaches the log: one line a record, whatever the values
// hold; and that a slow writer costs lines, not time.
#include <heddle/base/error.hpp>
#include <heddle/base/log.hpp>

#include "base/log_line.hpp"

#define BOOST_TEST_MODULE log
#include <boost/test/unit_test.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace log_ = heddle::log;

namespace {

struct scratch_file
{
    scratch_file()
    {
        char name[] = "/tmp/heddle-log-XXXXXX";
        const int fd = ::mkstemp(name);
        BOOST_REQUIRE(fd >= 0);
        ::close(fd);
        path = name;
    }
    ~scratch_file() { ::unlink(path.c_str()); }

    std::string content() const
    {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    std::string path;
};

std::size_t lines_of(const std::string& text)
{
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

BOOST_AUTO_TEST_SUITE(a_line)

BOOST_AUTO_TEST_CASE(puts_quotes_round_what_would_be_ambiguous)
{
    const auto line =
        log_::text_line("order placed", {{"id", "7"}, {"note", "two words"}, {"empty", ""}, {"eq", "a=b"}});

    BOOST_TEST(line == R"(order placed id=7 note="two words" empty="" eq="a=b")");
}

BOOST_AUTO_TEST_CASE(cannot_be_broken_or_coloured_by_a_value)
{
    const auto line = log_::text_line("get /\r\nerror forged", {{"agent", "\x1b[31m\n\t\x7f\"\\"}});

    BOOST_TEST(line == R"(get /\r\nerror forged agent="\x1b[31m\n\t\x7f\"\\")");
}

BOOST_AUTO_TEST_CASE(keeps_valid_utf8_and_escapes_the_rest)
{
    // A two-byte letter, a lone continuation byte, a cut sequence,
    // an overlong slash, a surrogate, a C1 control.
    const auto line = log_::text_line("\xC3\xA9 \x80 \xE2\x82 \xC0\xAF \xED\xA0\x80 \xC2\x9B", {});

    BOOST_TEST(line == "\xC3\xA9 \\x80 \\xe2\\x82 \\xc0\\xaf \\xed\\xa0\\x80 \\xc2\\x9b");
}

BOOST_AUTO_TEST_CASE(cuts_long_values_and_says_how_much)
{
    const auto line = log_::text_line("m", {{"k", std::string(log_::longest_value + 10, 'x')}});

    BOOST_TEST(line == "m k=\"" + std::string(log_::longest_value, 'x') + "...(10 bytes more)\"");
}

BOOST_AUTO_TEST_CASE(is_json_where_that_is_asked_for)
{
    const auto members = log_::json_members("a \"b\"", {{"k\n", "\x01\x80"}});

    BOOST_TEST(members == R"("message":"a \"b\"","k\n":"\u0001\u0080")");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(the_writer)

BOOST_AUTO_TEST_CASE(writes_all_that_was_logged_by_the_time_it_ends)
{
    scratch_file file;
    {
        log_::writer writer{{.least = log_::level::warn, .file = file.path}};
        log_::info("too quiet");
        log_::warn("kept", {{"n", "1"}});
        log_::error("kept too");
    }

    const auto text = file.content();
    BOOST_TEST(lines_of(text) == 2U);
    BOOST_TEST(text.find("Z warning kept n=1\n") != text.npos);
    BOOST_TEST(text.find("Z error kept too\n") != text.npos);
    BOOST_TEST(text.find("too quiet") == text.npos);
}

BOOST_AUTO_TEST_CASE(writes_json_lines)
{
    scratch_file file;
    {
        log_::writer writer{{.format = log_::format::json, .file = file.path}};
        log_::info("started", {{"port", "8080"}});
    }

    const auto text = file.content();
    BOOST_TEST(text.starts_with(R"({"at":"20)"));
    BOOST_TEST(text.find(R"(Z","level":"info","message":"started","port":"8080"})") != text.npos);
}

BOOST_AUTO_TEST_CASE(drops_and_counts_lines_rather_than_making_anybody_wait)
{
    // A pipe that nobody reads: the writer's thread blocks in it when its 64 KiB are full.
    scratch_file place;
    ::unlink(place.path.c_str());
    BOOST_REQUIRE(::mkfifo(place.path.c_str(), 0600) == 0);
    const int reader = ::open(place.path.c_str(), O_RDONLY | O_NONBLOCK);
    std::uint64_t dropped = 0;
    {
        log_::writer writer{{.file = place.path, .queue = 16}};

        for (int i = 0; i < 1000; ++i)
            log_::info(std::string(500, 'x')); // 500 KB: with a writer that waited this loop would not end
        dropped = log_::dropped();

        ::fcntl(reader, F_SETFL, 0);
        std::thread drain([reader] {
            char buffer[4096];
            while (::read(reader, buffer, sizeof buffer) > 0) {
            }
        });
        drain.detach();
    }

    BOOST_TEST(dropped > 0U);
    BOOST_TEST(dropped < 1000U);
}

BOOST_AUTO_TEST_CASE(says_when_its_file_cannot_be_opened)
{
    BOOST_CHECK_THROW(log_::writer({.file = "/tmp"}), heddle::config_error);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(a_capture_takes_the_lines_and_gives_the_log_back)
{
    std::vector<std::string> lines;
    std::vector<std::string> inner;
    {
        log_::capture outside([&](log_::level, std::string_view line) { lines.emplace_back(line); });
        {
            log_::capture inside([&](log_::level, std::string_view line) { inner.emplace_back(line); });
            log_::warn("inner");
        }
        log_::warn("outer", {{"k", "v"}});
    }

    BOOST_TEST(inner == std::vector<std::string>{"inner"}, boost::test_tools::per_element());
    BOOST_TEST(lines == std::vector<std::string>{"outer k=v"}, boost::test_tools::per_element());
}
