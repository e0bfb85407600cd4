// The write-ahead log stays bounded: written back, begun anew when no reader needs it, and full when one does
// for too long. FAULTS F13, without the clock.
#include "database_fixture.hpp"
#include "stranger.hpp"

#include <heddle/fiber/scope.hpp>

#define BOOST_TEST_MODULE write_ahead_log
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <filesystem>

namespace {

constexpr std::int64_t mib = 1024 * 1024;
constexpr std::int64_t limit = 4 * mib;
constexpr std::int64_t one_write = 200'000; // and some more than that

struct log_fixture : database_fixture
{
    log_fixture()
        : database_fixture([this](db::database_options& options) {
              options.driver = db::sqlite({.path = directory.path("test.db"), .log_limit = limit});
              options.lanes = {{.name = "read", .running = 8}, {.name = "write", .running = 8}};
              options.pool.size = 8;
          })
    {
        writes.script("CREATE TABLE blobs (b BLOB)");
    }

    std::int64_t log_bytes() const { return static_cast<std::int64_t>(size_of("test.db-wal")); }
    std::uintmax_t size_of(const char* file) const
    {
        return std::filesystem::file_size(directory.path(file));
    }

    void write_once() { writes.run("INSERT INTO blobs VALUES (randomblob(100000))"); }
    std::string write()
    {
        return ending_of([&] { write_once(); });
    }

    void write_until_it_is_long()
    {
        while (log_bytes() <= limit / 2)
            write();
    }

    // Reads for so long, in one transaction.
    void read_for(fiber::duration time)
    {
        reads.read([&](db::transaction& tx) {
            tx.one<int>("SELECT count(*) FROM blobs");
            fiber::sleep_for(time);
        });
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(write_ahead_log, log_fixture)

BOOST_AUTO_TEST_CASE(is_written_back_before_it_has_half_its_limit)
{
    while (size_of("test.db") < limit / 8U && log_bytes() <= limit / 2) {
        write();
        runtime.run_ready();
    }

    BOOST_TEST(size_of("test.db") > limit / 8U);
    BOOST_TEST(log_bytes() > limit / 4 - one_write);
    BOOST_TEST(log_bytes() < limit / 2);
}

BOOST_AUTO_TEST_CASE(begins_anew_past_half_its_limit)
{
    write_until_it_is_long();

    runtime.advance(1s);

    BOOST_TEST(log_bytes() == 0);
    BOOST_TEST(is_at_rest());
}

// FAULTS F13
BOOST_AUTO_TEST_CASE(begins_anew_beside_readers_of_whom_one_is_always_there)
{
    bool over = false;
    fiber::duration held_back{};
    for (const auto time : {300ms, 467ms, 633ms, 800ms})
        runtime.spawn([&, time] {
            while (!over) {
                const auto came = fiber::now();
                read_for(time);
                held_back = std::max<fiber::duration>(held_back, fiber::now() - came - time);
            }
        });
    std::int64_t largest = 0;
    int refused = 0;
    fiber::duration stalled{};

    for (int i = 0; i < 200; ++i) { // 20 s, 22 MB
        const auto came = fiber::now();
        refused += write() == "returned" ? 0 : 1;
        stalled = std::max<fiber::duration>(stalled, fiber::now() - came);
        runtime.advance(100ms);
        largest = std::max(largest, log_bytes());
    }
    over = true;
    runtime.advance(2s);

    BOOST_TEST(largest < limit);
    BOOST_TEST(refused == 0);
    BOOST_TEST((stalled == 0ms));
    BOOST_TEST((held_back > 0ms));
    BOOST_TEST((held_back <= 750ms));
    BOOST_TEST(is_at_rest());
}

// FAULTS F13
BOOST_AUTO_TEST_CASE(is_full_while_an_old_reader_needs_it_and_holds_up_no_reader)
{
    std::string reading;
    start(reading, [&] { fiber::within(9s, [&] { read_for(1h); }); });
    runtime.run_ready();
    int held_up = 0;
    std::array<std::string, 2> writing{"returned"};

    while (writing[0] == "returned") { // 10 a second: it is full after 4 s
        writing[0] = "";
        start(writing[0], [&] { write_once(); });
        std::string looking;
        start(looking, [&] { count(); });
        runtime.run_ready();
        held_up += looking == "returned" ? 0 : 1;
        runtime.advance(100ms);
    }
    BOOST_TEST(writing[0] == ""); // waits for room
    BOOST_TEST(log_bytes() >= limit);
    BOOST_TEST(log_bytes() < limit + one_write);
    BOOST_TEST(held_up == 0);
    runtime.advance(2s);
    BOOST_TEST(writing[0] == "unavailable");

    runtime.advance(2s);
    start(writing[1], [&] { write_once(); });
    runtime.advance(3s); // the reader's time is over after less than two of them

    BOOST_TEST(reading == "deadline");
    BOOST_TEST(writing[1] == "returned");
    BOOST_TEST(log_bytes() < one_write);
    BOOST_TEST(is_at_rest());
}

BOOST_AUTO_TEST_CASE(waits_for_a_reader_of_another_process)
{
    stranger other{directory.path("test.db")};
    BOOST_REQUIRE(other.run("BEGIN; SELECT count(*) FROM blobs"));
    write_until_it_is_long();
    runtime.advance(5s);
    BOOST_TEST(log_bytes() > limit / 2);
    BOOST_TEST(write() == "returned");

    BOOST_REQUIRE(other.run("COMMIT"));
    runtime.advance(2s);

    BOOST_TEST(log_bytes() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
