// Returning, and the end of a pool.
#include <heddle/base/metrics.hpp>
#include <heddle/fiber/all.hpp>

#include "pool_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace fiber = heddle::fiber;
using heddle::testing::connection;
using heddle::testing::guest;
using heddle::testing::lease;
using heddle::testing::outcome_of;
using heddle::testing::pool;
using heddle::testing::pool_fixture;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(returning, pool_fixture)

// SEMANTICS 77
BOOST_AUTO_TEST_CASE(takes_a_connection_back_once)
{
    pool one({.size = 1}, database.functions());
    auto first = one.acquire();
    auto second = std::move(first);

    first.release(); // NOLINT: moved from, on purpose
    BOOST_TEST(one.statistics().active == 1);
    second.release();
    second.release();

    BOOST_TEST(one.statistics().active == 0);
    BOOST_TEST(one.statistics().idle == 1);
}

// SEMANTICS 78
BOOST_AUTO_TEST_CASE(refuses_to_use_what_was_returned)
{
    pool one({.size = 1}, database.functions());
    auto mine = one.acquire();

    mine.release();

    BOOST_CHECK_THROW(static_cast<void>(*mine), heddle::error);
    BOOST_CHECK_THROW(static_cast<void>(mine->id), heddle::error);
}

BOOST_AUTO_TEST_CASE(refuses_a_second_lease_to_a_fiber_and_its_children)
{
    pool four({.name = "orders", .size = 4}, database.functions());
    const auto mine = four.acquire();

    const auto again = outcome_of([&] { four.acquire(); });
    const auto child = outcome_of([&] { fiber::all([&] { four.acquire(); }); });

    BOOST_TEST(again ==
               "error: pool \"orders\": this fiber, or one that waits for it, has a connection already");
    BOOST_TEST(child == again);
}

BOOST_AUTO_TEST_CASE(counts_a_broken_connection_until_it_is_closed)
{
    database.to_close = 30ms;
    pool one({.size = 1}, database.functions());
    const guest first(runtime, [&] {
        auto mine = one.acquire();
        mine.mark_broken();
    });
    const guest second = borrower(one, 1ms);

    runtime.advance(29ms);
    BOOST_TEST(second.waits());
    BOOST_TEST(one.statistics().closing == 1);
    runtime.advance(2ms);

    BOOST_TEST(second.outcome() == "done");
    BOOST_TEST(order.front() == 2);
    BOOST_TEST(database.most_open == 1);
}

BOOST_AUTO_TEST_CASE(closes_side_by_side)
{
    pool two({.size = 2}, database.functions());
    database.to_close = 900ms;
    {
        auto first = two.acquire();
        const guest other(runtime, [&] {
            auto second = two.acquire();
            second.mark_broken();
        });
        runtime.run_ready();
        first.mark_broken();
    }

    runtime.advance(900ms);

    BOOST_TEST(database.closed.size() == 2U);
    BOOST_TEST(two.statistics().open == 0);
}

// SEMANTICS 83, 84
BOOST_AUTO_TEST_CASE(closes_everything_when_it_is_cleared)
{
    pool two({.size = 2}, database.functions());
    const auto both = borrowers(2, two, 5ms);
    runtime.advance(5ms);
    auto busy = two.acquire();

    two.clear();
    runtime.run_ready();
    BOOST_TEST(database.closed.size() == 1U);
    BOOST_TEST(two.statistics().active == 1);
    busy.release();
    runtime.run_ready();

    BOOST_TEST(database.closed.size() == 2U);
    BOOST_TEST(two.statistics().open == 0);
}

// SEMANTICS 85
BOOST_AUTO_TEST_CASE(takes_a_connection_back_from_a_borrower_that_throws)
{
    pool one({.size = 1}, database.functions());

    const auto outcome = outcome_of([&] {
        const auto mine = one.acquire();
        throw std::runtime_error("a row that cannot be read");
    });

    BOOST_TEST(outcome == "error: a row that cannot be read");
    BOOST_TEST(one.statistics().idle == 1);
    BOOST_TEST(one.acquire()->id == 1);
}

// SEMANTICS 88
BOOST_AUTO_TEST_CASE(wakes_waiters_when_it_closes_and_refuses_later_ones)
{
    pool one({.name = "p", .size = 1}, database.functions());
    auto mine = std::optional(one.acquire());
    const guest waiter(runtime, [&] { one.acquire(); });
    const guest closer(runtime, [&] { one.close(1s); });
    runtime.run_ready();

    const guest later(runtime, [&] { one.acquire(); });
    runtime.run_ready();

    BOOST_TEST(waiter.outcome() == "error: pool \"p\" is closed");
    BOOST_TEST(later.outcome() == "error: pool \"p\" is closed");
    BOOST_TEST(closer.waits());
    mine.reset();
    runtime.run_ready();
    BOOST_TEST(closer.outcome() == "done");
    BOOST_TEST(database.open == 0);
}

// SEMANTICS 89
BOOST_AUTO_TEST_CASE(interrupts_what_is_still_busy_after_its_grace)
{
    pool one({.size = 1}, database.functions());
    const guest holder = borrower(one, 100ms);
    runtime.run_ready();
    const guest closer(runtime, [&] { one.close(30ms); });

    runtime.advance(29ms);
    BOOST_TEST(database.interrupted.empty());
    runtime.advance(1ms);
    BOOST_TEST(database.interrupted == (std::vector<int>{1}), boost::test_tools::per_element());
    BOOST_TEST(closer.waits());
    runtime.advance(70ms);

    BOOST_TEST(closer.outcome() == "done");
    BOOST_TEST(database.open == 0);
}

// SEMANTICS 90
BOOST_AUTO_TEST_CASE(leaves_nothing_behind_when_it_ends_while_it_opens)
{
    database.to_open = 50ms;
    {
        pool three({.size = 3, .min_idle = 3}, database.functions());
        runtime.advance(10ms);
        BOOST_TEST(three.statistics().opening == 3);
    }

    runtime.advance(100ms);

    BOOST_TEST(database.open == 0);
    BOOST_TEST(runtime.fibers() == 0);
}

// SEMANTICS 91
BOOST_AUTO_TEST_CASE(can_be_closed_by_many_at_once)
{
    pool one({.size = 1}, database.functions());
    {
        const auto used = one.acquire();
    }
    std::vector<guest> closers;
    for (int i = 0; i < 5; ++i)
        closers.emplace_back(runtime, [&] { one.close(1s); });

    runtime.run_ready();
    one.close(1s);

    for (const auto& closer : closers)
        BOOST_TEST(closer.outcome() == "done");
    BOOST_TEST(database.closed.size() == 1U);
}

// SEMANTICS 92
BOOST_AUTO_TEST_CASE(lets_borrowers_wait_while_it_is_suspended)
{
    pool one({.size = 1}, database.functions());
    const guest holder = borrower(one, 20ms);
    runtime.run_ready();

    one.suspend();
    const guest next = borrower(one, 1ms);
    runtime.advance(20ms);
    BOOST_TEST(holder.outcome() == "done");
    BOOST_TEST(next.waits());
    one.resume();
    runtime.advance(1ms);

    BOOST_TEST(next.outcome() == "done");
}

// SEMANTICS 93
BOOST_AUTO_TEST_CASE(records_the_time_that_ended_in_a_time_out)
{
    pool one({.size = 1, .acquire_budget = 20ms}, database.functions());
    const auto held = one.acquire();
    const guest late(runtime, [&] { one.acquire(); });

    runtime.advance(20ms);

    BOOST_TEST(one.statistics().timed_out == 1U);
    BOOST_TEST((one.statistics().waited >= 20ms));
}

// SEMANTICS 94: nobody but the pool keeps its numbers
BOOST_AUTO_TEST_CASE(takes_its_gauges_along_when_it_goes)
{
    const auto shown = [&] {
        pool one({.name = "p", .size = 1}, database.functions());
        heddle::metrics_page page;
        page.add_gauge("pool_idle", "Idle.", [&one] { return static_cast<double>(one.statistics().idle); },
                       {{"pool", one.name()}});
        const auto before = page.text();
        one.acquire();
        return std::pair(before, page.text());
    };

    const auto first = shown();
    const auto second = shown();

    BOOST_TEST(first.first != first.second);
    BOOST_TEST(second.first == first.first);
    BOOST_TEST(second.second == first.second);
}

BOOST_AUTO_TEST_CASE(lets_a_lease_outlive_its_pool)
{
    std::optional<lease> last;
    {
        pool one({.size = 1}, database.functions());
        last = one.acquire();
    }
    runtime.run_ready();
    BOOST_TEST((*last)->id == 1);

    last.reset();
    runtime.run_ready();

    BOOST_TEST(database.open == 0);
    BOOST_TEST(runtime.fibers() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
