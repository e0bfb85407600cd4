// SQLite under real threads: statements that move between workers, many writers, a log that must stay small.
#include <heddle/db/database.hpp>
#include <heddle/db/error.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/fiber/task_group.hpp>
#include <heddle/testing/temporary_directory.hpp>

#include "fiber/spawn.hpp"

#define BOOST_TEST_MODULE db_stress
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace db = heddle::db;
namespace fiber = heddle::fiber;
using namespace std::chrono_literals;

namespace {

int repeats(int brief, int full)
{
    const char* wanted = std::getenv("HEDDLE_REPEAT");
    return wanted && std::string_view(wanted) == "full" ? full : brief;
}

// Some 20 ms of work for SQLite.
constexpr const char* long_read =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT sum(i) FROM n";

struct stress_fixture
{
    heddle::testing::temporary_directory directory;

    db::database_options options(db::durability durability) const
    {
        return {
            .driver = db::sqlite({.path = directory.path("test.db"), .durability = durability}),
            .pool = {.size = 8, .acquire_budget = 10s},
            .lanes = {{.name = "read", .running = 8, .waiting = 1000, .queue_wait = 30s},
                      {.name = "write", .running = 64, .waiting = 1000, .queue_wait = 30s}},
        };
    }

    // Runs `body` with a database that has a table of one counter.
    template <class Body>
    void with_counter(db::durability durability, Body&& body) const
    {
        fiber::run({.workers = 2}, [&] {
            db::database database{options(durability)};
            database.lane("write").script(
                "CREATE TABLE counter (n INTEGER NOT NULL); INSERT INTO counter VALUES (0)");
            body(database);
            database.close(5s);
        });
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(db_stress, stress_fixture)

// FAULTS F12
BOOST_AUTO_TEST_CASE(read_then_write_by_many_loses_no_update)
{
    const int rounds = repeats(10, 50);
    std::atomic<int> added = 0;
    std::int64_t counted = 0;
    std::string check;
    with_counter(db::durability::normal, [&](db::database& database) {
        fiber::task_group::run([&](fiber::task_group& tasks) {
            for (int client = 0; client < 16; ++client)
                tasks.start([&] {
                    for (int i = 0; i < rounds; ++i) {
                        database.lane("write").transaction([](db::transaction& tx) {
                            const auto n = tx.one<std::int64_t>("SELECT n FROM counter");
                            fiber::yield();
                            tx.run("UPDATE counter SET n = $1", n + 1);
                        });
                        ++added;
                    }
                });
        });
        counted = database.lane("read").one<std::int64_t>("SELECT n FROM counter");
        check = database.lane("read").one<std::string>("PRAGMA integrity_check");
    });

    BOOST_TEST(counted == 16 * rounds);
    BOOST_TEST(added == counted);
    BOOST_TEST(check == "ok");
}

BOOST_AUTO_TEST_CASE(long_reads_move_to_the_compute_worker_and_come_back)
{
    const int rounds = repeats(5, 50);
    std::atomic<int> right = 0;
    std::atomic<int> moved = 0;
    std::atomic<int> back = 0;
    with_counter(db::durability::normal, [&](db::database& database) {
        fiber::task_group::run([&](fiber::task_group& tasks) {
            for (int reader = 0; reader < 6; ++reader)
                tasks.start([&] {
                    for (int i = 0; i < rounds; ++i) {
                        database.lane("read").for_each<std::int64_t>(
                            [&](std::int64_t sum) {
                                right += sum == 5000050000 ? 1 : 0;
                                moved += fiber::on_compute_worker() ? 1 : 0;
                            },
                            long_read);
                        back += fiber::on_compute_worker() ? 0 : 1;
                    }
                });
        });
    });

    BOOST_TEST(right == 6 * rounds);
    BOOST_TEST(moved == 6 * rounds);
    BOOST_TEST(back == 6 * rounds);
}

BOOST_AUTO_TEST_CASE(requests_that_end_in_the_middle_leave_nothing_behind)
{
    const int clients = repeats(100, 1000);
    std::atomic<int> committed = 0;
    std::atomic<int> ended = 0;
    std::int64_t counted = 0;
    std::int64_t in_use = 0;
    with_counter(db::durability::normal, [&](db::database& database) {
        fiber::task_group::run([&](fiber::task_group& tasks) {
            for (int client = 0; client < clients; ++client)
                tasks.start([&, client] {
                    try {
                        fiber::within(std::chrono::microseconds(500 + client % 20 * 500), [&] {
                            database.lane("write").transaction([](db::transaction& tx) {
                                tx.run("UPDATE counter SET n = n + 1");
                                tx.one<std::int64_t>(
                                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
                                    "FROM n WHERE i < 2000) SELECT sum(i) FROM n");
                            });
                            database.lane("read").one<std::int64_t>(long_read);
                        });
                        ++committed;
                    } catch (const heddle::error&) {
                        ++ended;
                    }
                });
        });
        counted = database.lane("read").one<std::int64_t>("SELECT n FROM counter");
        committed = static_cast<int>(database.lane("write").statistics().committed) - 1; // without the script
        in_use = database.pool_statistics().active + database.lane("write").statistics().gate.in_flight +
                 database.lane("read").statistics().gate.in_flight;
    });

    BOOST_TEST(ended > 0);
    BOOST_TEST(counted == committed);
    BOOST_TEST(in_use == 0);
}

// Everybody who opens a new file changes its mode.
BOOST_AUTO_TEST_CASE(many_open_a_new_file_at_once)
{
    const int files = repeats(20, 200);
    std::uint64_t failed = 0;
    std::int64_t open = 0;
    fiber::run({.workers = 2, .offload_threads = 8}, [&] {
        for (int i = 0; i < files; ++i) {
            auto fresh = options(db::durability::normal);
            fresh.driver = db::sqlite({.path = directory.path(std::to_string(i) + ".db")});
            fresh.pool.min_idle = fresh.pool.size;
            db::database database{fresh};
            while (database.pool_statistics().idle < fresh.pool.size)
                fiber::sleep_for(1ms);
            failed += database.pool_statistics().failed_to_open;
            open += database.pool_statistics().open;
            database.close(5s);
        }
    });

    BOOST_TEST(failed == 0U);
    BOOST_TEST(open == 8 * files);
}

// FAULTS F13
BOOST_AUTO_TEST_CASE(the_log_stays_bounded_beside_readers_that_overlap)
{
    const int writes = repeats(3000, 20000);
    std::atomic<bool> over = false;
    std::uintmax_t largest = 0;
    with_counter(db::durability::normal, [&](db::database& database) {
        database.lane("write").script("CREATE TABLE blobs (id INTEGER PRIMARY KEY, b BLOB)");
        fiber::task_group::run([&](fiber::task_group& tasks) {
            for (int reader = 0; reader < 4; ++reader)
                tasks.start([&, reader] {
                    while (!over)
                        database.lane("read").read([&](db::transaction& tx) {
                            tx.one<std::int64_t>("SELECT count(*) FROM counter");
                            fiber::sleep_for(std::chrono::milliseconds(20 + 10 * reader));
                        });
                });
            tasks.start([&] {
                for (int i = 0; i < writes; ++i) {
                    database.lane("write").run("INSERT OR REPLACE INTO blobs VALUES ($1, randomblob(30000))",
                                               i % 50);
                    if (i % 50 == 0)
                        largest =
                            std::max(largest, std::filesystem::file_size(directory.path("test.db-wal")));
                }
                over = true;
            });
        });
    });

    BOOST_TEST(largest > 4U * 1024 * 1024);
    BOOST_TEST(largest < 65U * 1024 * 1024); // the limit and one transaction
}

BOOST_AUTO_TEST_SUITE_END()
