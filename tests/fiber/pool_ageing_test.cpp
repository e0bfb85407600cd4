// Idleness, lifetime, health.
#include "pool_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace fiber = heddle::fiber;
using heddle::testing::guest;
using heddle::testing::lease;
using heddle::testing::pool;
using heddle::testing::pool_fixture;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(ageing, pool_fixture)

// SEMANTICS 65, 67
BOOST_AUTO_TEST_CASE(closes_the_longest_idle_first_and_keeps_its_minimum)
{
    pool three({.size = 3, .min_idle = 1, .max_idle = 1min}, database.functions());
    runtime.run_ready();
    std::optional<lease> leases[3];
    for (int i = 0; i < 3; ++i)
        runtime.spawn([&, i] { leases[i] = three.acquire(); });
    runtime.run_ready();
    for (int i : {2, 0, 1}) {
        leases[i].reset();
        runtime.advance(10s);
    }

    runtime.advance(5min);

    BOOST_TEST(database.closed == (std::vector<int>{3, 1}), boost::test_tools::per_element());
    BOOST_TEST(three.statistics().idle == 1);
}

// SEMANTICS 66
BOOST_AUTO_TEST_CASE(never_closes_for_idleness_when_all_are_the_minimum)
{
    pool two({.size = 2, .min_idle = 2, .max_idle = 1s}, database.functions());

    runtime.advance(1h);

    BOOST_TEST(database.closed.empty());
    BOOST_TEST(two.statistics().idle == 2);
}

// SEMANTICS 68, 69
BOOST_AUTO_TEST_CASE(closes_a_connection_past_its_lifetime_on_its_return)
{
    pool one({.size = 1, .max_idle = 0ms, .max_lifetime = 10s}, database.functions());
    pool kept({.size = 1, .max_idle = 0ms}, database.functions());
    auto mine = std::optional(one.acquire());
    {
        const auto other = kept.acquire();
    }

    runtime.advance(1h);
    BOOST_TEST(database.closed.empty());
    mine.reset();
    runtime.run_ready();

    BOOST_TEST(database.closed == (std::vector<int>{1}), boost::test_tools::per_element());
    BOOST_TEST(kept.statistics().idle == 1);
}

// SEMANTICS 70
BOOST_AUTO_TEST_CASE(spreads_the_end_of_those_opened_together)
{
    pool many({.size = 20, .min_idle = 20, .max_idle = 0ms, .max_lifetime = 1000s}, database.functions());

    runtime.advance(899s);
    BOOST_TEST(database.closed.empty());
    std::size_t most_at_once = 0;
    for (int second = 899; second < 1001; ++second) {
        const auto before = database.closed.size();
        runtime.advance(1s);
        most_at_once = std::max(most_at_once, database.closed.size() - before);
    }

    BOOST_TEST(database.closed.size() >= 20U);
    BOOST_TEST(most_at_once < 10U);
}

// SEMANTICS 71
BOOST_AUTO_TEST_CASE(replaces_an_expired_connection_without_the_closer)
{
    pool two({.size = 2, .max_idle = 0ms, .max_lifetime = 10s}, database.functions());
    {
        const auto busy = two.acquire();
    }
    { // keeps the closer busy
        const guest other(runtime, [&] {
            auto mine = two.acquire();
            fiber::sleep_for(8s);
            mine.mark_broken();
        });
        runtime.advance(1s);
        {
            const auto second = two.acquire();
        }
        database.to_close = 900ms;
        runtime.advance(7s);
    }
    database.to_close = 10s;
    runtime.advance(3s);

    const int id = two.acquire()->id;

    BOOST_TEST(id == 3);
}

// SEMANTICS 72
BOOST_AUTO_TEST_CASE(skips_dead_idle_connections_one_by_one)
{
    pool three({.size = 3, .min_idle = 3, .check_after = 1s}, database.functions());
    runtime.advance(2s);
    database.here[2]->alive = false;
    database.here[1]->alive = false;

    const int id = three.acquire()->id;
    runtime.run_ready();

    BOOST_TEST(id == 1);
    std::sort(database.closed.begin(), database.closed.end()); // they are closed side by side
    BOOST_TEST(database.checks == 3);
    BOOST_TEST(database.closed == (std::vector<int>{2, 3}), boost::test_tools::per_element());
}

// SEMANTICS 73
BOOST_AUTO_TEST_CASE(checks_only_what_was_idle_for_long)
{
    pool one({.size = 1, .check_after = 1s}, database.functions());
    {
        const auto first = one.acquire();
    }

    {
        const auto soon = one.acquire();
    }
    BOOST_TEST(database.checks == 0);
    runtime.advance(1s);
    {
        const auto later = one.acquire();
    }

    BOOST_TEST(database.checks == 1);
}

// SEMANTICS 73
BOOST_AUTO_TEST_CASE(takes_one_for_dead_that_does_not_answer_its_check)
{
    pool one({.size = 1, .acquire_budget = 1s, .check_after = 1s, .check_budget = 100ms},
             database.functions());
    {
        const auto first = one.acquire();
    }
    runtime.advance(1s);
    database.to_check = 10s;
    const guest next = borrower(one, 1ms);

    runtime.advance(101ms);

    BOOST_TEST(next.outcome() == "done");
    BOOST_TEST(order.back() == 2);
}

BOOST_AUTO_TEST_CASE(buries_only_the_connection_whose_check_was_cancelled)
{
    pool three({.size = 3, .min_idle = 3, .check_after = 1s, .check_budget = 5s}, database.functions());
    runtime.advance(2s);
    database.to_check = 1s;
    guest gone = borrower(three, 1ms);
    runtime.run_ready();

    gone.cancel();
    runtime.run_ready();

    BOOST_TEST(gone.outcome() == "cancelled");
    BOOST_TEST(database.checks == 1);
    BOOST_TEST(database.closed.size() == 1U);
}

// SEMANTICS 75
BOOST_AUTO_TEST_CASE(does_not_let_a_borrower_wait_for_a_slow_close)
{
    database.to_close = 900ms;
    pool two({.size = 2}, database.functions());
    const guest breaks(runtime, [&] { two.acquire().mark_broken(); });
    runtime.run_ready();

    const guest next = borrower(two, 5ms);
    runtime.advance(5ms);

    BOOST_TEST(next.outcome() == "done");
    BOOST_TEST(two.statistics().closing == 1);
    runtime.advance(1s);
}

BOOST_AUTO_TEST_SUITE_END()
