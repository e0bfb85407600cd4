// Opening: on demand, in the background, after failures.
#include "pool_fixture.hpp"

#include <boost/test/unit_test.hpp>

namespace fiber = heddle::fiber;
using heddle::testing::connection;
using heddle::testing::guest;
using heddle::testing::pool;
using heddle::testing::pool_fixture;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(opening, pool_fixture)

// SEMANTICS 49
BOOST_AUTO_TEST_CASE(opens_nothing_before_it_is_asked)
{
    pool lazy({.size = 4}, database.functions());

    runtime.advance(1min);

    BOOST_TEST(database.attempts == 0);
}

// SEMANTICS 49
BOOST_AUTO_TEST_CASE(keeps_its_minimum_open_and_refills_it)
{
    pool warm({.size = 4, .min_idle = 2, .max_lifetime = 100s}, database.functions());
    runtime.run_ready();
    BOOST_TEST(warm.statistics().idle == 2);

    runtime.advance(100s);
    BOOST_TEST(database.closed.size() == 2U);
    BOOST_TEST(warm.statistics().idle == 2);
    {
        auto broken = warm.acquire();
        broken.mark_broken();
    }
    runtime.run_ready();

    BOOST_TEST(warm.statistics().idle == 2);
}

// SEMANTICS 50
BOOST_AUTO_TEST_CASE(opens_no_more_than_are_wanted_in_a_burst)
{
    database.to_open = 50ms;
    pool twenty({.size = 20}, database.functions());

    const auto burst = borrowers(3, twenty, 10ms);
    runtime.advance(25ms);
    const auto more = borrowers(2, twenty, 10ms);
    runtime.advance(100ms);

    BOOST_TEST(database.attempts == 5);
    for (const auto& one : more)
        BOOST_TEST(one.outcome() == "done");
}

BOOST_AUTO_TEST_CASE(opens_only_so_many_at_once)
{
    database.to_open = 50ms;
    pool hundred({.size = 100, .acquire_budget = 10s, .opening_at_once = 3}, database.functions());

    const auto storm = borrowers(100, hundred, 10s);
    for (int rounds = 1; rounds <= 33; ++rounds) {
        runtime.advance(49ms);
        BOOST_TEST(database.attempts == 3 * rounds); // never more, and no place stays empty
        BOOST_TEST(hundred.statistics().opening == 3);
        runtime.advance(1ms);
    }
    runtime.advance(50ms);

    BOOST_TEST(database.open == 100);
    BOOST_TEST(hundred.statistics().waiting == 0);
}

BOOST_AUTO_TEST_CASE(opens_none_for_borrowers_that_were_served_meanwhile)
{
    database.to_open = 50ms;
    pool hundred({.size = 100, .opening_at_once = 2}, database.functions());

    const auto burst = borrowers(20, hundred, 5ms);
    runtime.advance(1s);

    for (const auto& one : burst)
        BOOST_TEST(one.outcome() == "done");
    BOOST_TEST(database.attempts == 4); // two, and two more while those went round
}

BOOST_AUTO_TEST_CASE(fills_its_minimum_so_many_at_a_time)
{
    database.to_open = 50ms;
    pool warm({.size = 20, .min_idle = 10, .opening_at_once = 4}, database.functions());

    runtime.advance(50ms);
    BOOST_TEST(warm.statistics().idle == 4);
    runtime.advance(100ms);

    BOOST_TEST(warm.statistics().idle == 10);
    BOOST_TEST(database.attempts == 10);
}

BOOST_AUTO_TEST_CASE(meets_a_database_that_comes_back_with_no_more_than_that)
{
    database.down = true;
    pool hundred({.size = 100, .acquire_budget = 1min, .connect_budget = 2s, .opening_at_once = 4},
                 database.functions());
    const auto waiters = borrowers(100, hundred, 1h);
    runtime.advance(10s);
    const int before = database.attempts;
    database.down = false;
    database.to_open = 1s;

    runtime.advance(999ms); // of those that tried again there is none that is through
    BOOST_TEST(database.attempts - before <= 4);
    BOOST_TEST(database.attempts - before >= 1);
    runtime.advance(30s);

    BOOST_TEST(database.open == 100);
}

// SEMANTICS 52
BOOST_AUTO_TEST_CASE(names_the_first_cause_when_none_could_be_opened)
{
    database.down = true;
    pool two({.name = "p", .size = 2, .acquire_budget = 300ms}, database.functions());
    heddle::kind kind{};
    std::string text;
    const guest late(runtime, [&] {
        try {
            two.acquire();
        } catch (const heddle::error& failure) {
            kind = failure.kind();
            text = failure.what();
        }
    });

    runtime.advance(299ms);
    BOOST_TEST(late.waits());
    runtime.advance(1ms);

    BOOST_TEST((kind == heddle::kind::unavailable));
    BOOST_TEST(text.starts_with("pool \"p\": no connection within 300 ms"));
    BOOST_TEST(text.ends_with("none could be opened: attempt 1 refused"));
    BOOST_TEST(database.attempts > 1);
}

// SEMANTICS 53
BOOST_AUTO_TEST_CASE(succeeds_when_the_database_is_back_in_time)
{
    database.down = true;
    pool two({.size = 2, .acquire_budget = 3s}, database.functions());
    const guest patient = borrower(two, 1ms);

    runtime.advance(500ms);
    database.down = false;
    runtime.advance(2s);

    BOOST_TEST(patient.outcome() == "done");
    BOOST_TEST(patient.milliseconds() < 1600);
}

// SEMANTICS 54
BOOST_AUTO_TEST_CASE(serves_every_waiter_after_failed_attempts)
{
    database.down = true;
    pool two({.size = 2, .acquire_budget = 5s}, database.functions());
    const auto waiters = borrowers(4, two, 1ms);
    runtime.advance(100ms);

    database.down = false;
    runtime.advance(2s);

    for (const auto& one : waiters)
        BOOST_TEST(one.outcome() == "done");
}

// SEMANTICS 55
BOOST_AUTO_TEST_CASE(keeps_a_connection_whose_borrower_has_gone)
{
    database.to_open = 50ms;
    pool two({.size = 2}, database.functions());
    guest gone = borrower(two, 1ms);
    runtime.advance(10ms);

    gone.cancel();
    runtime.advance(40ms);

    BOOST_TEST(gone.outcome() == "cancelled");
    BOOST_TEST(two.statistics().idle == 1);
}

// SEMANTICS 56
BOOST_AUTO_TEST_CASE(closes_a_new_connection_that_it_has_no_place_for)
{
    database.to_open = 50ms;
    pool two({.size = 2}, database.functions());
    auto gone = borrowers(2, two, 1ms);
    runtime.advance(10ms);
    for (auto& one : gone)
        one.cancel();

    two.resize(1);
    runtime.advance(40ms);

    BOOST_TEST(two.statistics().open == 1);
    BOOST_TEST(database.open == 1);
}

// SEMANTICS 62
BOOST_AUTO_TEST_CASE(leaves_nothing_open_when_its_prefill_fails)
{
    database.down = true;
    {
        pool warm({.size = 3, .min_idle = 3}, database.functions());
        runtime.advance(5s);
        BOOST_TEST(warm.statistics().failed_to_open > 3U);
    }

    runtime.run_ready();

    BOOST_TEST(database.open == 0);
    BOOST_TEST(runtime.fibers() == 0);
}

// SEMANTICS 64
BOOST_AUTO_TEST_CASE(backs_off_to_one_attempt_a_second_and_slot)
{
    database.down = true;
    pool three({.size = 3, .min_idle = 1, .acquire_budget = 1min}, database.functions());
    auto waiters = borrowers(10, three, 1ms);
    int most = 0;

    for (int window = 0; window < 20; ++window) {
        const int before = database.attempts;
        runtime.advance(999ms);
        most = std::max(most, database.attempts - before);
    }

    BOOST_TEST(most <= 3);
    BOOST_TEST(database.attempts >= 10);
}

// SEMANTICS 64
BOOST_AUTO_TEST_CASE(gives_an_attempt_up_after_its_budget)
{
    database.to_open = 10s;
    pool one({.size = 1, .acquire_budget = 500ms, .connect_budget = 200ms}, database.functions());
    const guest late = borrower(one, 1ms);

    runtime.advance(200ms);
    BOOST_TEST(one.statistics().failed_to_open == 1U);
    runtime.advance(300ms);

    BOOST_TEST(late.outcome().ends_with("none could be opened: the deadline has passed"));
}

BOOST_AUTO_TEST_SUITE_END()
