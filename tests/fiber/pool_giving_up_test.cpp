// Borrowers that give up: they leave no place behind, and take nobody's.
#include "pool_fixture.hpp"

#include <heddle/fiber/gate.hpp>

#include <boost/test/unit_test.hpp>

#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace fiber = heddle::fiber;
using heddle::testing::guest;
using heddle::testing::lease;
using heddle::testing::pool;
using heddle::testing::pool_fixture;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(giving_up, pool_fixture)

// FAULTS F01
BOOST_AUTO_TEST_CASE(a_waiter_that_gives_up_keeps_no_place_in_lane_or_pool)
{
    fiber::gate lane({.running = 4, .waiting = 2, .queue_wait = 10s});
    pool two({.size = 2, .acquire_budget = 10s}, database.functions());
    const auto operation = [&](fiber::duration time) {
        const auto permit = lane.enter();
        const auto mine = two.acquire();
        fiber::sleep_for(time);
    };
    std::vector<guest> busy;
    for (int i = 0; i < 4; ++i) // two of them wait for a connection
        busy.emplace_back(runtime, [&] { operation(1min); });
    runtime.run_ready();

    for (int i = 0; i < 50; ++i) {
        const guest late(
            runtime, [&] { operation(1ms); }, 200ms);
        guest gone(runtime, [&] { operation(1ms); });
        runtime.advance(100ms);
        gone.cancel();
        runtime.advance(100ms);
        BOOST_TEST(late.milliseconds() == 200);
        BOOST_TEST(!late.waits());
        BOOST_TEST(gone.outcome() == "cancelled");
    }
    for (int i = 2; i < 4; ++i) {
        busy[static_cast<std::size_t>(i)].cancel();
        const guest throws(runtime, [&] {
            const auto permit = lane.enter();
            throw std::runtime_error("enough");
        });
        runtime.run_ready();
        BOOST_TEST(throws.outcome() == "error: enough");
    }
    runtime.advance(1min);

    std::vector<guest> all;
    for (int i = 0; i < 6; ++i)
        all.emplace_back(runtime, [&] { operation(100ms); });
    runtime.advance(400ms);
    for (const auto& one : all)
        BOOST_TEST(one.outcome() == "done");
    BOOST_TEST(two.statistics().waiting == 0);
    BOOST_TEST(two.statistics().active == 0);
}

// FAULTS F02
BOOST_AUTO_TEST_CASE(a_return_that_meets_a_deadline_wakes_the_next_waiter)
{
    pool one({.size = 1, .acquire_budget = 10s, .check_after = 1h}, database.functions());
    std::mt19937 random(17); // any seed: the rounds differ
    std::uniform_int_distribution<int> around(98'000, 102'000);
    int first_won = 0;
    int given_up = 0;

    for (int round = 0; round < 1000; ++round) {
        const bool at_the_same_time = round % 4 == 0;
        const auto deadline = std::chrono::microseconds(at_the_same_time ? 100'000 : around(random));
        const guest holder = borrower(one, 100ms);
        const guest first(
            runtime, [&] { one.acquire(); }, deadline);
        const guest second(runtime, [&] { one.acquire(); });
        runtime.advance(103ms);

        first_won += first.outcome() == "done";
        given_up += first.outcome() == "no connection";
        BOOST_REQUIRE(second.outcome() == "done");
        BOOST_REQUIRE(second.milliseconds() == 100);
    }

    BOOST_TEST(first_won + given_up == 1000);
    BOOST_TEST(first_won > 100);
    BOOST_TEST(given_up > 100);
    BOOST_TEST(one.statistics().active == 0);
    BOOST_TEST(database.opened == 1);
}

// FAULTS F02
BOOST_AUTO_TEST_CASE(a_return_that_meets_a_cancellation_wakes_the_next_waiter)
{
    pool one({.size = 1, .acquire_budget = 10s}, database.functions());
    for (const bool cancelled_first : {true, false}) {
        auto held = std::optional(one.acquire());
        guest first(runtime, [&] { one.acquire(); });
        runtime.run_ready();
        const guest second(runtime, [&] { one.acquire(); });
        runtime.run_ready();

        if (cancelled_first)
            first.cancel();
        held.reset();
        if (!cancelled_first)
            first.cancel(); // it has been handed the connection already
        runtime.run_ready();

        BOOST_TEST(first.outcome() == (cancelled_first ? "cancelled" : "done"));
        BOOST_TEST(second.outcome() == "done");
        BOOST_TEST(one.statistics().active == 0);
    }
}

BOOST_AUTO_TEST_SUITE_END()
