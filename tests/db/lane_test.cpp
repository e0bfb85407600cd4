// The gate's and the pool's promises again, with real transactions inside.
#include "database_fixture.hpp"

#include <heddle/fiber/all.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/testing/hold.hpp>

#define BOOST_TEST_MODULE lane
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace {

struct lane_fixture : database_fixture
{
    std::array<std::string, 8> ended;

    // Starts transactions of 100 ms, numbered from `first`.
    void start_slow(std::size_t first, std::size_t count)
    {
        for (auto i = first; i < first + count; ++i)
            start(ended[i], [this] {
                reads.read([](db::transaction& tx) {
                    fiber::sleep_for(100ms);
                    return tx.one<int>("SELECT 42");
                });
            });
        runtime.run_ready();
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(lane, lane_fixture)

// SEMANTICS 24
BOOST_AUTO_TEST_CASE(admits_running_and_waiting_and_refuses_the_next_at_once)
{
    start_slow(0, 4);

    BOOST_TEST(ended[3] == "full");
    BOOST_TEST(reads.statistics().gate.in_flight == 2);
    BOOST_TEST(reads.statistics().gate.queued == 1);

    runtime.advance(200ms);
    BOOST_TEST(ended[0] == "returned");
    BOOST_TEST(ended[1] == "returned");
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 25
BOOST_AUTO_TEST_CASE(counts_a_wait_that_timed_out_apart_from_full)
{
    start_slow(0, 4);

    runtime.advance(50ms);

    BOOST_TEST(ended[2] == "timed_out");
    BOOST_TEST(reads.statistics().gate.timed_out == 1U);
    BOOST_TEST(reads.statistics().gate.full == 1U);
    runtime.advance(100ms);
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 26
BOOST_AUTO_TEST_CASE(a_full_lane_stays_as_it_is)
{
    const testing::hold busy{writes};
    const auto slots = writes.gate().slots().available();

    BOOST_TEST(ending_of([&] { add("tea"); }) == "full");

    BOOST_TEST(writes.gate().slots().available() == slots);
    BOOST_TEST(writes.gate().turns().available() == 0);
}

// SEMANTICS 27, 39
BOOST_AUTO_TEST_CASE(a_cancelled_wait_gives_back_its_slot_only)
{
    start_slow(0, 2);
    bool began = false;
    fiber::scope* waiting = nullptr;
    start(ended[2], [&] {
        fiber::scope scope{{}};
        waiting = &scope;
        reads.read([&](db::transaction&) { began = true; });
    });
    runtime.run_ready();

    waiting->cancel();
    runtime.run_ready();

    BOOST_TEST(ended[2] == "cancelled");
    BOOST_TEST(reads.gate().slots().available() == 1);
    BOOST_TEST(reads.gate().turns().available() == 0);
    runtime.advance(100ms);
    BOOST_TEST(!began);
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 28
BOOST_AUTO_TEST_CASE(a_failing_body_gives_everything_back)
{
    BOOST_TEST(ending_of([&] { reads.read([](db::transaction&) { throw std::runtime_error("no"); }); }) ==
               "no");
    BOOST_TEST(ending_of([&] { writes.transaction([](db::transaction&) { throw 7; }); }) == "something else");

    BOOST_TEST(is_at_rest());
    BOOST_TEST(reads.statistics().failed == 1U);
    BOOST_TEST(writes.statistics().failed == 1U);
}

// SEMANTICS 28
BOOST_AUTO_TEST_CASE(a_failing_commit_gives_everything_back)
{
    writes.script(
        "CREATE TABLE parts (item INTEGER NOT NULL REFERENCES items DEFERRABLE INITIALLY DEFERRED)");

    BOOST_TEST(ending_of([&] { writes.run("INSERT INTO parts VALUES (99)"); }) == "constraint");

    BOOST_TEST(reads.one<int>("SELECT count(*) FROM parts") == 0);
    BOOST_TEST(is_at_rest());
    add("works again");
}

// SEMANTICS 29
BOOST_AUTO_TEST_CASE(returns_the_connection_before_the_permit)
{
    db::database narrow{{
        .driver = db::sqlite({.path = directory.path("test.db")}),
        .pool = {.size = 1, .acquire_budget = 0ms},
        .lanes = {{.name = "one", .running = 1, .waiting = 4, .queue_wait = 1s}},
    }};
    auto& lane = narrow.lane("one");
    ending_of([&] { lane.one<int>("SELECT 1"); }); // opens the connection, if it comes too late for this one
    runtime.run_ready();

    // Who is let in finds the connection idle, or acquire_budget would refuse it.
    for (std::size_t i = 0; i < 4; ++i)
        start(ended[i], [&] { lane.read([](db::transaction&) { fiber::sleep_for(1ms); }); });
    runtime.advance(10ms);

    for (std::size_t i = 0; i < 4; ++i)
        BOOST_TEST(ended[i] == "returned");
}

// SEMANTICS 30
BOOST_AUTO_TEST_CASE(keeps_its_permit_while_work_goes_on_for_a_caller_who_left)
{
    fiber::scope* left = nullptr;
    start(ended[0], [&] {
        fiber::scope scope{{}};
        left = &scope;
        reads.read([](db::transaction&) { fiber::shield(1s, [] { fiber::sleep_for(100ms); }); });
    });
    runtime.run_ready();

    left->cancel();
    runtime.advance(50ms);
    BOOST_TEST(reads.statistics().gate.in_flight == 1);
    BOOST_TEST(database.pool_statistics().active == 1);

    runtime.advance(50ms);
    BOOST_TEST(ended[0] == "cancelled");
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 31
BOOST_AUTO_TEST_CASE(a_storm_never_exceeds_its_limits)
{
    std::mt19937 random{7};
    std::int64_t inside = 0;
    std::int64_t most = 0;
    std::int64_t admitted = 0;
    for (int i = 0; i < 300; ++i) {
        const auto nap = fiber::duration(std::chrono::milliseconds(random() % 5));
        runtime.spawn([&, nap] {
            ending_of([&] {
                reads.read([&](db::transaction& tx) {
                    most = std::max(most, ++inside);
                    fiber::sleep_for(nap);
                    tx.one<int>("SELECT 1");
                    --inside;
                });
            });
        });
        admitted = std::max(admitted, reads.gate().slots().capacity() - reads.gate().slots().available());
        runtime.advance(std::chrono::microseconds(random() % 1500));
    }
    runtime.advance(1s);

    BOOST_TEST(most == 2);
    BOOST_TEST(admitted <= 3);
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 32
BOOST_AUTO_TEST_CASE(refuses_an_empty_body_without_touching_a_permit)
{
    const std::function<void(db::transaction&)> empty;

    BOOST_TEST(contains(message_of([&] { reads.read(empty); }), "empty function"));

    BOOST_TEST(reads.statistics().gate.entered == 0U);
}

// SEMANTICS 32
BOOST_AUTO_TEST_CASE(refuses_limits_that_cannot_work)
{
    const auto refusal = [&](db::lane_options lane) {
        lane.name = "l";
        return message_of([&] {
            db::database{{.driver = db::sqlite({.path = directory.path("test.db")}), .lanes = {lane}}};
        });
    };

    BOOST_TEST(contains(refusal({.running = 0}), "running is 0"));
    BOOST_TEST(contains(refusal({.waiting = -1}), "waiting is -1"));
    BOOST_TEST(contains(refusal({.running = INT32_MAX, .waiting = 1}), "together are too many"));
    BOOST_TEST(contains(refusal({.queue_wait = -1ms}), "queue_wait is negative"));
    BOOST_TEST(refusal({.running = INT32_MAX, .waiting = 0}) == "");
}

// SEMANTICS 33
BOOST_AUTO_TEST_CASE(refuses_a_lane_inside_a_lane_and_serves_siblings)
{
    const auto again = message_of([&] { reads.read([&](db::transaction&) { reads.one<int>("SELECT 1"); }); });
    const auto child = ending_of([&] {
        reads.read([&](db::transaction&) {
            fiber::all([&] { return database.lane("report").one<int>("SELECT 1"); }, [] { return 0; });
        });
    });
    const auto siblings =
        fiber::all([&] { return reads.one<int>("SELECT 1"); }, [&] { return reads.one<int>("SELECT 2"); });

    BOOST_TEST(contains(again, "already"));
    BOOST_TEST(child == "internal");
    BOOST_TEST(std::get<0>(siblings) + std::get<1>(siblings) == 3);
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 44
BOOST_AUTO_TEST_CASE(a_lane_without_a_gate_waits_for_the_pool)
{
    db::database open{{
        .driver = db::sqlite({.path = directory.path("test.db")}),
        .pool = {.size = 1, .acquire_budget = 20ms},
        .lanes = {{.name = "free", .gate = false}},
    }};
    auto& lane = open.lane("free");
    start(ended[0], [&] { lane.read([](db::transaction&) { fiber::sleep_for(100ms); }); });
    runtime.run_ready();

    start(ended[1], [&] { lane.one<int>("SELECT 1"); });
    runtime.advance(100ms);

    BOOST_TEST(ended[0] == "returned");
    BOOST_TEST(ended[1] == "pool");
    BOOST_TEST(lane.statistics().pool == 1U);
}

// SEMANTICS 23, 45
BOOST_AUTO_TEST_CASE(refuses_a_second_while_the_first_answers_42)
{
    db::database two{{
        .driver = db::sqlite({.path = directory.path("test.db")}),
        .pool = {.size = 2},
        .lanes = {{.name = "one", .running = 1, .waiting = 0}},
    }};
    auto& lane = two.lane("one");
    int answer = 0;
    start(ended[0], [&] {
        answer = lane.read([](db::transaction& tx) {
            fiber::sleep_for(10ms);
            return tx.one<int>("SELECT 42");
        });
    });
    runtime.run_ready();

    BOOST_TEST(ending_of([&] { lane.one<int>("SELECT 1"); }) == "full");
    runtime.advance(10ms);

    BOOST_TEST(answer == 42);
    BOOST_TEST(lane.gate().turns().available() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
