// SQLite seen from below: who waits for the disk, what becomes of a COMMIT that it fails, and how often a
// lock is asked for again.
#include "database_fixture.hpp"
#include "disk.hpp"
#include "stranger.hpp"

#define BOOST_TEST_MODULE disk
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>
#include <vector>

namespace {

struct has_disk
{
    disk layer; // there before the files are opened, and until they are closed
};

struct disk_fixture : has_disk, database_fixture
{
    explicit disk_fixture(db::durability durability = db::durability::full)
        : database_fixture([this, durability](db::database_options& options) {
              options.driver = db::sqlite({.path = directory.path("test.db"),
                                           .durability = durability,
                                           .lock_budget = 2s,
                                           .log_limit = 1024 * 1024});
          })
    {
    }

    // Enough for a number of checkpoints, after which the log begins anew.
    void write_much()
    {
        writes.script("CREATE TABLE blobs (b BLOB)");
        for (int i = 0; i < 50; ++i) {
            writes.run("INSERT INTO blobs VALUES (randomblob(50000))");
            runtime.advance(50ms);
        }
    }

    std::string add_and_say_how_it_ended(const char* name)
    {
        return ending_of([&] { add(name); });
    }
};

struct fast_disk_fixture : disk_fixture
{
    fast_disk_fixture() : disk_fixture(db::durability::normal) {}
};

} // namespace

BOOST_AUTO_TEST_SUITE(disk_and_locks)

BOOST_FIXTURE_TEST_CASE(no_worker_waits_for_the_disk, disk_fixture)
{
    write_much();

    BOOST_TEST(layer.synced_by_worker == 0);
    BOOST_TEST(layer.synced_by_others > 50);
}

BOOST_FIXTURE_TEST_CASE(nor_where_only_a_new_log_and_checkpoints_wait, fast_disk_fixture)
{
    write_much();

    BOOST_TEST(layer.synced_by_worker == 0);
    BOOST_TEST(layer.synced_by_others > 3);
    BOOST_TEST(layer.synced_by_others < 50);
}

BOOST_FIXTURE_TEST_CASE(a_commit_that_the_disk_failed_is_unknown, disk_fixture)
{
    layer.fails_to_sync = true;
    const auto ending = add_and_say_how_it_ended("perhaps");
    layer.fails_to_sync = false;

    BOOST_TEST(ending == "outcome_unknown");
    BOOST_TEST(writes.statistics().unknown == 1U);
    BOOST_TEST(is_at_rest());
    BOOST_TEST(add_and_say_how_it_ended("after it") == "returned");
    BOOST_TEST(reads.one<std::string>("PRAGMA integrity_check") == "ok");
}

BOOST_FIXTURE_TEST_CASE(a_full_disk_undoes_the_transaction_and_says_so, disk_fixture)
{
    layer.is_full = true;
    const auto ending = add_and_say_how_it_ended("lost");
    layer.is_full = false;

    BOOST_TEST(ending == "unavailable");
    BOOST_TEST(count() == 0);
    BOOST_TEST(is_at_rest());
    BOOST_TEST(add_and_say_how_it_ended("after it") == "returned");
}

// A time-out of SQLite's own would hold up the worker, and time here would stand still.
BOOST_FIXTURE_TEST_CASE(a_lock_is_asked_for_again_after_10_us_to_10_ms_never_twice_the_same, disk_fixture)
{
    add("the file is open");
    stranger other{directory.path("test.db")};
    BOOST_REQUIRE(other.run("BEGIN IMMEDIATE"));
    layer.met_the_lock.clear();
    std::string writing;
    start(writing, [&] { add("tea"); });
    runtime.advance(3s);

    std::set<fiber::duration> pauses;
    const auto& at = layer.met_the_lock;
    for (std::size_t i = 1; i < at.size(); ++i)
        pauses.insert(at[i] - at[i - 1]);
    BOOST_TEST(writing == "unavailable");
    BOOST_REQUIRE(pauses.size() > 100U);
    BOOST_TEST((*pauses.begin() <= 20us));
    BOOST_TEST((*pauses.rbegin() > 5ms));
    BOOST_TEST((*pauses.rbegin() <= 10ms));
    BOOST_TEST((at.back() - at.front() == 2s));
    BOOST_TEST(pauses.size() > at.size() / 2);
}

BOOST_AUTO_TEST_SUITE_END()
