// Repetitions that share one COMMIT of SQLite's with the request they repeat: none is told more than was
// committed.
#include "disk.hpp"

#include "notes_fixture.hpp"

#define BOOST_TEST_MODULE shared_commit
#include <boost/test/unit_test.hpp>

#include <vector>

namespace {

struct disk_below
{
    disk layer;
};

struct group_fixture : disk_below, notes_fixture
{
    // Of so many that are sent at once.
    std::vector<http::response> answers()
    {
        std::vector<http::response> answers(4); // as many as the lane lets run
        fiber::task_group::run([&](fiber::task_group& tasks) {
            for (auto& answer : answers)
                tasks.start([&] {
                    const fiber::scope request{{}};
                    answer = post("tea", "k1");
                });
        });
        return answers;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(a_shared_commit, group_fixture)

BOOST_AUTO_TEST_CASE(that_fails_has_done_nothing_for_any_of_them)
{
    layer.is_full = true;
    for (const auto& answer : answers())
        BOOST_TEST(answer.status() == http::status::service_unavailable);

    layer.is_full = false;
    BOOST_TEST(count() == 0);
    BOOST_TEST(count("idempotency_keys") == 0);
    const auto at_last = post("tea", "k1");
    BOOST_TEST(at_last.status() == http::status::created);
    BOOST_TEST(!is_replayed(at_last));
}

// SEMANTICS 103: on SQLite
BOOST_AUTO_TEST_CASE(whose_outcome_is_unknown_is_found_out_by_the_next_one)
{
    layer.fails_to_sync = true;
    int unknown = 0;
    for (const auto& answer : answers()) {
        if (answer.status() == http::status::internal_server_error && ++unknown)
            BOOST_TEST(type_of(answer) == "urn:heddle:commit-unknown");
        else
            BOOST_TEST(is_replayed(answer)); // it came later, and has found out already
    }
    BOOST_TEST(unknown > 0);

    layer.fails_to_sync = false;
    const auto was_there = count() == 1;
    const auto next = post("tea", "k1");
    BOOST_TEST(next.status() == http::status::created);
    BOOST_TEST(is_replayed(next) == was_there);
    BOOST_TEST(count() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
