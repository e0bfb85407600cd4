// One operation of a lane, from its admission to its record.
#include "database_fixture.hpp"

#include <heddle/fiber/scope.hpp>
#include <heddle/testing/hold.hpp>

#define BOOST_TEST_MODULE operation
#include <boost/test/unit_test.hpp>

#include <array>
#include <vector>

BOOST_FIXTURE_TEST_SUITE(operation, database_fixture)

// SEMANTICS 34
BOOST_AUTO_TEST_CASE(an_operation_is_admitted_then_runs_then_has_ended)
{
    std::vector<std::array<std::int64_t, 3>> seen; // queued, running, committed
    const auto look = [&] {
        const auto now = reads.statistics();
        seen.push_back({now.gate.queued, now.gate.in_flight, static_cast<std::int64_t>(now.committed)});
    };
    std::array<std::string, 3> ended;
    for (auto& ending : ended)
        start(ending, [this] {
            reads.read([](db::transaction& tx) {
                tx.one<int>("SELECT 42");
                fiber::sleep_for(20ms);
            });
        });

    runtime.run_ready();
    look();
    runtime.advance(20ms);
    look();
    runtime.advance(20ms);
    look();

    BOOST_TEST((seen == std::vector<std::array<std::int64_t, 3>>{{1, 2, 0}, {0, 1, 2}, {0, 0, 3}}));
}

// SEMANTICS 35
BOOST_AUTO_TEST_CASE(counts_a_refusal_once)
{
    const testing::hold busy{reads};

    ending_of([&] { count(); });

    const auto seen = reads.statistics();
    BOOST_TEST(seen.gate.full == 1U);
    BOOST_TEST(seen.committed + seen.failed + seen.pool + seen.not_begun == 0U);
}

// SEMANTICS 114
BOOST_AUTO_TEST_CASE(the_time_being_over_before_the_body_is_an_overload_and_after_it_a_deadline)
{
    bool began = false;
    const auto before =
        ending_of([&] { fiber::within(0ms, [&] { reads.read([&](db::transaction&) { began = true; }); }); });
    std::string ending;
    start(ending,
          [&] { fiber::within(10ms, [&] { reads.read([](db::transaction&) { fiber::sleep_for(1s); }); }); });
    runtime.advance(10ms);

    BOOST_TEST(before == "timed_out");
    BOOST_TEST(!began);
    BOOST_TEST(ending == "deadline");
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 111
BOOST_AUTO_TEST_CASE(keeps_one_record_for_each_operation)
{
    std::array<std::string, 3> ended;
    for (auto& ending : ended)
        start(ending, [this] { reads.read([](db::transaction&) { fiber::sleep_for(100ms); }); });
    runtime.advance(49ms);
    runtime.advance(151ms);

    const auto seen = reads.statistics();
    BOOST_TEST(seen.committed == 2U); // the third's time in the queue was over
    BOOST_TEST(seen.gate.timed_out == 1U);
    BOOST_TEST(seen.gate_wait.count == 3U);
    BOOST_TEST(seen.hold.count == 2U);
    BOOST_TEST((seen.hold.sum == 200ms));
    BOOST_TEST((seen.gate_wait.sum == 50ms));
}

// SEMANTICS 111
BOOST_AUTO_TEST_CASE(counts_a_wait_for_the_pool_apart_from_the_gates)
{
    db::database narrow{{
        .driver = db::sqlite({.path = directory.path("test.db")}),
        .pool = {.size = 1, .acquire_budget = 20ms},
        .lanes = {{.name = "one", .running = 3}},
    }};
    auto& lane = narrow.lane("one");
    std::array<std::string, 3> ended;
    for (auto& ending : ended)
        start(ending, [&] { lane.read([](db::transaction&) { fiber::sleep_for(15ms); }); });
    runtime.advance(50ms);

    const auto seen = lane.statistics();
    BOOST_TEST(ended[1] == "returned");
    BOOST_TEST(ended[2] == "pool");
    BOOST_TEST(seen.pool == 1U);
    BOOST_TEST(seen.gate.full + seen.gate.timed_out == 0U);
    BOOST_TEST((seen.pool_wait.sum == 35ms)); // 0, 15 and 20
    BOOST_TEST((seen.gate_wait.sum == 0ms));
    BOOST_TEST(seen.hold.count == 2U);
}

// SEMANTICS 111
BOOST_AUTO_TEST_CASE(books_the_wait_for_the_turn_to_write_as_a_lock_wait_also_when_it_was_in_vain)
{
    std::array<std::string, 2> ended;
    start(ended[0], [&] { writes.transaction([](db::transaction&) { fiber::sleep_for(3s); }); });
    runtime.run_ready();
    const auto before = writes.statistics();
    start(ended[1], [&] { add("tea"); });
    runtime.advance(3s);

    const auto seen = writes.statistics();
    BOOST_TEST(ended[1] == "unavailable");
    BOOST_TEST(seen.not_begun == 1U);
    BOOST_TEST((seen.lock_wait.sum - before.lock_wait.sum == 2s));
    BOOST_TEST((seen.pool_wait.sum == before.pool_wait.sum));
}

BOOST_AUTO_TEST_SUITE_END()
