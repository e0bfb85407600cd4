// The semaphore's contract, one behaviour a case, in virtual time: counting, time, order. Races are in
// tests/stress.
#include "semaphore_fixture.hpp"

#define BOOST_TEST_MODULE semaphore
#include <boost/test/unit_test.hpp>

namespace fiber = heddle::fiber;
using fiber::semaphore;
using heddle::testing::guest;
using heddle::testing::semaphore_fixture;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(semaphore_waits, semaphore_fixture)

// SEMANTICS 1
BOOST_AUTO_TEST_CASE(begins_with_all_its_permits)
{
    const semaphore three(3);

    BOOST_TEST(three.available() == 3);
    BOOST_TEST(three.capacity() == 3);
}

// SEMANTICS 2
BOOST_AUTO_TEST_CASE(grants_two_tries_of_two_permits_and_no_third)
{
    semaphore two(2);

    const auto first = two.try_acquire();
    const auto second = two.try_acquire();
    const auto third = two.try_acquire();

    BOOST_TEST(first.has_value());
    BOOST_TEST(second.has_value());
    BOOST_TEST(!third.has_value());
    BOOST_TEST(two.available() == 0);
}

// SEMANTICS 3
BOOST_AUTO_TEST_CASE(takes_nothing_when_a_try_wants_more_than_there_is)
{
    semaphore three(3);
    const auto one = three.try_acquire();

    const auto failed = three.try_acquire(3);

    BOOST_TEST(!failed.has_value());
    BOOST_TEST(three.available() == 2);
}

// SEMANTICS 4
BOOST_AUTO_TEST_CASE(ends_a_timed_wait_at_its_time)
{
    semaphore one(1);
    const auto taken = one.acquire();
    bool granted = true;
    guest waiter(runtime, [&] { granted = one.try_acquire_for(100ms).has_value(); });

    runtime.advance(99ms);
    BOOST_TEST(waiter.waits());
    runtime.advance(1ms);

    BOOST_TEST(waiter.outcome() == "done");
    BOOST_TEST(!granted);
    BOOST_TEST(waiter.milliseconds() == 100);
}

// SEMANTICS 5
BOOST_AUTO_TEST_CASE(answers_without_parking_when_the_time_is_zero_or_less)
{
    semaphore one(1);
    const auto begin = fiber::now();

    auto granted = one.try_acquire_for(0ms);
    const auto refused = one.try_acquire_for(0ms);
    const auto also_refused = one.try_acquire_for(-5ms);

    BOOST_TEST(granted.has_value());
    BOOST_TEST(!refused.has_value());
    BOOST_TEST(!also_refused.has_value());
    BOOST_TEST((fiber::now() == begin));
}

// SEMANTICS 6
BOOST_AUTO_TEST_CASE(lets_an_untimed_try_barge_but_no_timed_one)
{
    semaphore three(3);
    auto held = three.acquire(2);
    std::vector<int> order;
    guest large = taker(three, order, 1, 3);
    runtime.run_ready();

    auto timed = three.try_acquire_for(0ms);
    auto untimed = three.try_acquire();

    BOOST_TEST(!timed.has_value());
    BOOST_TEST(untimed.has_value());
    held.release();
    untimed->release();
    runtime.run_ready();
    BOOST_TEST(large.outcome() == "done");
}

// SEMANTICS 7
BOOST_AUTO_TEST_CASE(keeps_a_small_claim_behind_a_large_one)
{
    semaphore three(3);
    auto held = three.acquire(2);
    std::vector<int> order;
    guest large = taker(three, order, 3, 3);
    runtime.run_ready();
    guest small = taker(three, order, 1, 1);
    runtime.run_ready();

    BOOST_TEST(small.waits());
    held.release();
    runtime.run_ready();

    BOOST_TEST(order == (std::vector<int>{3, 1}), boost::test_tools::per_element());
}

// SEMANTICS 9
BOOST_AUTO_TEST_CASE(wakes_every_waiter_that_fits)
{
    semaphore four(4);
    auto held = four.acquire(4);
    std::vector<int> order;
    guest first = taker(four, order, 1, 1, 10ms);
    guest second = taker(four, order, 2, 2, 10ms);
    guest third = taker(four, order, 3, 2, 10ms);
    runtime.run_ready();

    held.release();
    runtime.run_ready();

    BOOST_TEST(order == (std::vector<int>{1, 2}), boost::test_tools::per_element());
    BOOST_TEST(four.waiting() == 1U);
    runtime.advance(20ms);
    BOOST_TEST(third.outcome() == "done");
    BOOST_TEST(four.available() == 4);
}

// SEMANTICS 15
BOOST_AUTO_TEST_CASE(never_grants_to_a_waiter_that_has_timed_out)
{
    semaphore one(1);
    auto held = one.acquire();
    bool granted = false;
    guest late(runtime, [&] { granted = one.try_acquire_for(10ms).has_value(); });

    runtime.advance(10ms);
    held.release();
    runtime.advance(1s);

    BOOST_TEST(!granted);
    BOOST_TEST(one.available() == 1);
    BOOST_TEST(one.waiting() == 0U);
}

// SEMANTICS 15: the deadline of the scope ends a wait as well
BOOST_AUTO_TEST_CASE(ends_a_wait_with_the_scope)
{
    semaphore one(1);
    auto held = one.acquire();
    guest late(
        runtime, [&] { one.acquire(); }, 30ms);

    runtime.advance(30ms);

    BOOST_TEST(late.outcome() == "deadline");
    BOOST_TEST(late.milliseconds() == 30);
    BOOST_TEST(one.waiting() == 0U);
}

// SEMANTICS 17
BOOST_AUTO_TEST_CASE(counts_its_queue_exactly)
{
    semaphore one(1);
    auto held = one.acquire();
    std::vector<int> order;
    guest first = taker(one, order, 1, 1, 10ms);
    guest second = taker(one, order, 2, 1, 10ms);
    guest third = taker(one, order, 3, 1, 10ms);
    runtime.run_ready();
    BOOST_TEST(one.waiting() == 3U);

    second.cancel();
    runtime.run_ready();
    BOOST_TEST(one.waiting() == 2U);

    held.release();
    runtime.run_ready();
    BOOST_TEST(one.waiting() == 1U);
    runtime.advance(20ms);
    BOOST_TEST(one.waiting() == 0U);
    BOOST_TEST(order == (std::vector<int>{1, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
