// A disk that fails those who share a COMMIT.
#include "disk.hpp"
#include "group_fixture.hpp"

#define BOOST_TEST_MODULE group_disk
#include <boost/test/unit_test.hpp>

#include <algorithm>

namespace {

struct has_disk
{
    disk layer; // there before the files are opened, and until they are closed
};

struct group_on_disk : has_disk, group_fixture
{
    group_on_disk() { writes.script("CREATE TABLE blobs (b BLOB)"); }

    bool all_ended(const std::string& how) const
    {
        return std::all_of(endings.begin(), endings.end(), [&](const auto& one) { return one == how; });
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(group_disk, group_on_disk)

BOOST_AUTO_TEST_CASE(a_disk_that_is_full_at_the_commit_undoes_all_and_each_is_told)
{
    queue_starter();
    queue(adding("a"));
    queue(adding("b"));
    layer.is_full = true;
    runtime.advance(1ms);
    layer.is_full = false;

    BOOST_TEST(all_ended("unavailable"));
    BOOST_TEST(names() == "");
    BOOST_TEST(writes.statistics().failed == 3U);
    BOOST_TEST(is_at_rest());
    add("after it");
    BOOST_TEST(names() == "after it");
}

// What a neighbour has done and not committed yet is no ground for an answer.
BOOST_AUTO_TEST_CASE(who_ended_because_of_what_a_neighbour_did_is_told_when_that_is_undone)
{
    const auto names_there = [](db::transaction& tx) {
        return tx.one<std::int64_t>("SELECT count(*) FROM items");
    };
    queue_starter();
    queue(adding("starter")); // refused: it is there
    queue([&](db::transaction& tx) {
        if (names_there(tx) > 0)
            throw std::runtime_error("there already");
    });
    queue([&](db::transaction& tx) {
        if (names_there(tx) > 0)
            tx.rollback();
    });
    layer.is_full = true;
    runtime.advance(1ms);
    layer.is_full = false;

    BOOST_TEST(all_ended("unavailable"));
    BOOST_TEST(names() == "");
    BOOST_TEST(database.groups().members == 3U); // two tables before, and the starter
    BOOST_TEST(is_at_rest());
}

// More than SQLite keeps in memory goes to the log before the COMMIT.
BOOST_AUTO_TEST_CASE(a_disk_that_is_full_in_a_body_undoes_all_and_each_is_told)
{
    queue_starter();
    const auto& before = queue(adding("before"));
    const auto& own = queue([&](db::transaction& tx) {
        layer.is_full = true;
        for (int i = 0; i < 100; ++i)
            tx.run("INSERT INTO blobs VALUES (randomblob(100000))");
    });
    const auto& after = queue([&](db::transaction& tx) {
        layer.is_full = false;
        tx.run("INSERT INTO items (name) VALUES ('after')");
    });
    runtime.advance(1ms);

    BOOST_TEST(own == "unavailable");
    BOOST_TEST(before == "unavailable");
    BOOST_TEST(after == "returned");
    BOOST_TEST(names() == "after");
    BOOST_TEST(reads.one<std::int64_t>("SELECT count(*) FROM blobs") == 0);
    BOOST_TEST(is_at_rest());
}

BOOST_AUTO_TEST_CASE(a_commit_that_the_disk_failed_is_unknown_to_all)
{
    queue_starter();
    queue(adding("a"));
    queue(adding("b"));
    layer.fails_to_sync = true;
    runtime.advance(1ms);
    layer.fails_to_sync = false;

    BOOST_TEST(all_ended("outcome_unknown"));
    BOOST_TEST(writes.statistics().unknown == 3U);
    BOOST_TEST(is_at_rest());
    add("after it");
    BOOST_TEST(reads.one<std::string>("PRAGMA integrity_check") == "ok");
}

BOOST_AUTO_TEST_CASE(no_worker_waits_for_the_disk)
{
    for (int i = 0; i < 10; ++i) {
        queue_starter();
        queue(adding("a"));
        runtime.advance(1ms);
        writes.run("DELETE FROM items");
    }

    BOOST_TEST(layer.synced_by_worker == 0);
    BOOST_TEST(layer.synced_by_others >= 20);
}

BOOST_AUTO_TEST_SUITE_END()
