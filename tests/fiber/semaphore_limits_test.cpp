// The semaphore's contract, continued: cancellation, capacity, and that a permit comes back once.
#include <heddle/base/error.hpp>

#include "semaphore_fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace fiber = heddle::fiber;
using fiber::semaphore;
using heddle::testing::guest;
using heddle::testing::semaphore_fixture;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(semaphore_limits, semaphore_fixture)

// SEMANTICS 10
BOOST_AUTO_TEST_CASE(takes_nothing_in_a_cancelled_scope)
{
    semaphore one(1);
    guest late(runtime, [&] {
        fiber::scope::current()->cancel();
        one.acquire();
    });

    runtime.run_ready();

    BOOST_TEST(late.outcome() == "cancelled");
    BOOST_TEST(one.available() == 1);
}

// SEMANTICS 11
BOOST_AUTO_TEST_CASE(takes_a_cancelled_waiter_out_of_the_queue)
{
    semaphore one(1);
    auto held = one.acquire();
    std::vector<int> order;
    guest first = taker(one, order, 1);
    guest second = taker(one, order, 2);
    runtime.run_ready();

    first.cancel();
    runtime.run_ready();
    BOOST_TEST(first.outcome() == "cancelled");
    BOOST_TEST(one.waiting() == 1U);
    held.release();
    runtime.run_ready();

    BOOST_TEST(second.outcome() == "done");
    BOOST_TEST(one.available() == 1);
}

// SEMANTICS 12
BOOST_AUTO_TEST_CASE(leaves_a_cancel_pending_through_a_shielded_wait)
{
    semaphore one(1);
    auto held = one.acquire();
    bool granted = false;
    guest shielded(runtime, [&] {
        fiber::shield(1s, [&] { granted = one.try_acquire_for(1s).has_value(); });
        fiber::scope::check_current();
    });
    runtime.run_ready();

    shielded.cancel();
    runtime.run_ready();
    BOOST_TEST(shielded.waits());
    held.release();
    runtime.run_ready();

    BOOST_TEST(granted);
    BOOST_TEST(shielded.outcome() == "cancelled");
}

// SEMANTICS 11: the one behind a large claim that gives up goes on at once
BOOST_AUTO_TEST_CASE(lets_small_claims_go_on_when_a_large_one_gives_up)
{
    semaphore three(3);
    auto held = three.acquire(2);
    std::vector<int> order;
    guest large = taker(three, order, 3, 3);
    guest small = taker(three, order, 1, 1);
    runtime.run_ready();

    large.cancel();
    runtime.run_ready();

    BOOST_TEST(small.outcome() == "done");
    BOOST_TEST(large.outcome() == "cancelled");
}

// SEMANTICS 18
BOOST_AUTO_TEST_CASE(wakes_waiters_when_its_capacity_grows)
{
    semaphore one(1);
    auto held = one.acquire();
    std::vector<int> order;
    guest waiter = taker(one, order, 1);
    runtime.run_ready();

    one.resize(2);
    runtime.run_ready();

    BOOST_TEST(waiter.outcome() == "done");
    BOOST_TEST(one.available() == 1);
}

// SEMANTICS 18
BOOST_AUTO_TEST_CASE(lets_holders_finish_when_its_capacity_shrinks)
{
    semaphore three(3);
    auto first = three.acquire();
    auto second = three.acquire();
    std::vector<int> order;

    three.resize(1);
    guest newcomer = taker(three, order, 1);
    runtime.run_ready();
    BOOST_TEST(three.available() == 0);
    first.release();
    runtime.run_ready();
    BOOST_TEST(newcomer.waits());
    second.release();
    runtime.run_ready();

    BOOST_TEST(newcomer.outcome() == "done");
    BOOST_TEST(three.available() == 1);
}

// SEMANTICS 19
BOOST_AUTO_TEST_CASE(refuses_a_claim_above_its_capacity)
{
    semaphore two(2);

    BOOST_CHECK_THROW(two.acquire(3), heddle::error);
    BOOST_CHECK_THROW(two.try_acquire_for(1s, 3), heddle::error);
    BOOST_CHECK_THROW(two.acquire(0), heddle::error);
    BOOST_TEST(two.available() == 2);
}

// SEMANTICS 19: also when the capacity shrinks below what somebody waits for
BOOST_AUTO_TEST_CASE(refuses_a_waiter_whose_claim_has_become_impossible)
{
    semaphore three(3);
    auto held = three.acquire();
    std::vector<int> order;
    guest large = taker(three, order, 3, 3);
    guest small = taker(three, order, 1, 1);
    runtime.run_ready();

    three.resize(2);
    runtime.run_ready();

    BOOST_TEST(large.outcome() == "error: semaphore: 3 permits can never be had of 2");
    BOOST_TEST(small.outcome() == "done");
}

// SEMANTICS 20
BOOST_AUTO_TEST_CASE(gives_a_permit_back_once)
{
    semaphore two(2);
    auto first = two.acquire();
    auto second = std::move(first);

    first.release(); // NOLINT: moved from, on purpose
    BOOST_TEST(two.available() == 1);
    second.release();
    second.release();

    BOOST_TEST(two.available() == 2);
}

// SEMANTICS 21
BOOST_AUTO_TEST_CASE(works_up_to_the_largest_capacity_and_refuses_more)
{
    semaphore largest(INT32_MAX);
    const auto all = largest.acquire(INT32_MAX);
    BOOST_TEST(largest.available() == 0);

    BOOST_CHECK_THROW(semaphore(std::int64_t(INT32_MAX) + 1), heddle::config_error);
    BOOST_CHECK_THROW(semaphore(-1), heddle::config_error);
    BOOST_CHECK_THROW(largest.resize(INT64_MAX), heddle::config_error);
    BOOST_TEST(largest.capacity() == INT32_MAX);
}

BOOST_AUTO_TEST_SUITE_END()
