// Borrowing: limits, order, budgets.
#include <heddle/fiber/gate.hpp>

#include "pool_fixture.hpp"

#define BOOST_TEST_MODULE pool
#include <boost/test/unit_test.hpp>

#include <optional>
#include <type_traits>
#include <vector>

namespace fiber = heddle::fiber;
using heddle::testing::connection;
using heddle::testing::connections;
using heddle::testing::guest;
using heddle::testing::lease;
using heddle::testing::outcome_of;
using heddle::testing::pool;
using heddle::testing::pool_fixture;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(borrowing, pool_fixture)

// SEMANTICS 44
BOOST_AUTO_TEST_CASE(limits_by_its_bounded_wait_where_there_is_no_gate)
{
    pool two({.size = 2, .acquire_budget = 50ms}, database.functions());

    const auto all = borrowers(6, two, 40ms);
    runtime.advance(100ms);

    int served = 0;
    int refused = 0;
    for (const auto& one : all) {
        served += one.outcome() == "done";
        refused += one.outcome() == "no connection" && one.milliseconds() == 50;
    }
    BOOST_TEST(served == 4);
    BOOST_TEST(refused == 2);
    BOOST_TEST(database.most_open == 2);
}

// SEMANTICS 45
BOOST_AUTO_TEST_CASE(serves_one_query_behind_a_gate_of_one_and_refuses_the_second)
{
    pool two({.size = 2}, database.functions());
    fiber::gate lane({.running = 1, .waiting = 0});
    int answer = 0;
    const auto query = [&] {
        const auto permit = lane.enter();
        const auto mine = two.acquire();
        fiber::sleep_for(10ms);
        answer = 41 + mine->id;
    };

    const guest first(runtime, query);
    const guest second(runtime, query);
    runtime.run_ready();
    BOOST_TEST(second.outcome() == "full");
    runtime.advance(10ms);

    BOOST_TEST(first.outcome() == "done");
    BOOST_TEST(answer == 42);
    BOOST_TEST(lane.turns().available() == 1);
    BOOST_TEST(lane.slots().available() == 1);
}

// SEMANTICS 46
BOOST_AUTO_TEST_CASE(refuses_options_that_cannot_work_and_names_each)
{
    BOOST_TEST(outcome_of([&] { pool({.name = "p", .size = 0}, database.functions()); }) ==
               "refused: pool \"p\": size must be between 1 and 100000, not 0");
    BOOST_TEST(outcome_of([&] {
                   pool({.name = "p", .size = 1, .min_idle = 2, .connect_budget = 0ms}, {});
               }) == "refused: pool \"p\": min_idle must be between 0 and size, not 2; connect_budget must "
                     "be more than 0; "
                     "there is no function that opens a connection");
}

// SEMANTICS 47
BOOST_AUTO_TEST_CASE(opens_one_when_none_is_idle_and_uses_it_again)
{
    pool many({.size = 4}, database.functions());

    const int first = many.acquire()->id;
    const int second = many.acquire()->id;

    BOOST_TEST(first == 1);
    BOOST_TEST(second == 1);
    BOOST_TEST(database.opened == 1);
}

// SEMANTICS 48
BOOST_AUTO_TEST_CASE(never_has_more_open_than_its_size)
{
    database.to_open = 5ms;
    pool ten({.size = 10, .acquire_budget = 1s}, database.functions());
    const auto all = borrowers(50, ten, 10ms);
    std::int64_t most = 0;

    for (int step = 0; step < 20; ++step) {
        runtime.advance(5ms);
        most = std::max(most, ten.statistics().open);
    }

    BOOST_TEST(most == 10);
    BOOST_TEST(database.attempts == 10);
    for (const auto& one : all)
        BOOST_TEST(one.outcome() == "done");
}

// SEMANTICS 51
BOOST_AUTO_TEST_CASE(takes_what_comes_first_a_returned_connection)
{
    pool two({.size = 2}, database.functions());
    const guest first = borrower(two, 10ms);
    runtime.run_ready();
    database.to_open = 100ms;
    const guest second = borrower(two, 1ms);

    runtime.advance(11ms);

    BOOST_TEST(second.outcome() == "done");
    BOOST_TEST(order == (std::vector<int>{1, 1}), boost::test_tools::per_element());
    runtime.advance(100ms);
    BOOST_TEST(two.statistics().idle == 2);
}

// SEMANTICS 51
BOOST_AUTO_TEST_CASE(takes_what_comes_first_a_new_connection)
{
    database.to_open = 10ms;
    pool two({.size = 2}, database.functions());
    const guest first = borrower(two, 100ms);
    const guest second = borrower(two, 1ms);

    runtime.advance(11ms);

    BOOST_TEST(second.outcome() == "done");
    BOOST_TEST(first.waits());
    runtime.advance(100ms);
}

// SEMANTICS 57
BOOST_AUTO_TEST_CASE(works_on_after_waiters_were_cancelled)
{
    pool one({.size = 1}, database.functions());
    const guest holder = borrower(one, 50ms);
    auto gone = borrowers(5, one, 1ms);
    const guest last = borrower(one, 1ms);
    runtime.run_ready();
    BOOST_TEST(one.statistics().waiting == 6);

    for (auto& waiter : gone)
        waiter.cancel();
    runtime.advance(51ms);

    for (const auto& waiter : gone)
        BOOST_TEST(waiter.outcome() == "cancelled");
    BOOST_TEST(last.outcome() == "done");
    BOOST_TEST(one.statistics().cancelled == 5U);
}

// SEMANTICS 58
BOOST_AUTO_TEST_CASE(answers_a_cancelled_borrower_at_once_and_counts_it)
{
    pool one({.size = 1}, database.functions());
    const guest late(runtime, [&] {
        fiber::scope::current()->cancel();
        one.acquire();
    });

    runtime.run_ready();

    BOOST_TEST(late.outcome() == "cancelled");
    BOOST_TEST(one.statistics().cancelled == 1U);
    BOOST_TEST(database.attempts == 0);
}

// SEMANTICS 59
BOOST_AUTO_TEST_CASE(shrinks_as_leases_come_back)
{
    pool three({.size = 3}, database.functions());
    const auto holders = borrowers(3, three, 10ms);
    runtime.run_ready();

    three.resize(1);
    runtime.run_ready();
    BOOST_TEST(three.statistics().active == 3);
    runtime.advance(10ms);

    BOOST_TEST(three.statistics().open == 1);
    BOOST_TEST(three.statistics().idle == 1);
    BOOST_TEST(database.closed.size() == 2U);
}

// SEMANTICS 59
BOOST_AUTO_TEST_CASE(grows_for_those_that_wait)
{
    pool one({.size = 1}, database.functions());
    const auto both = borrowers(2, one, 10ms);
    runtime.run_ready();

    one.resize(2);
    runtime.advance(10ms);

    BOOST_TEST(both[1].milliseconds() == 10);
    BOOST_CHECK_THROW(one.resize(0), heddle::config_error);
}

// SEMANTICS 60
BOOST_AUTO_TEST_CASE(says_how_it_stands_when_the_time_is_over)
{
    pool one({.name = "orders", .size = 1, .acquire_budget = 20ms}, database.functions());
    const guest holder = borrower(one, 50ms);
    std::string text;
    const guest late(runtime, [&] {
        try {
            one.acquire();
        } catch (const heddle::overloaded& refusal) {
            text = refusal.what();
        }
    });
    runtime.advance(5ms);
    const guest patient = borrower(one, 1ms);
    runtime.advance(15ms);

    BOOST_TEST(text == "pool \"orders\": no connection within 20 ms (1 open, 1 active, 0 idle, 1 waiting)");
}

// SEMANTICS 114: nothing has begun, so the scope's deadline is a refusal as well
BOOST_AUTO_TEST_CASE(refuses_when_the_deadline_comes_first)
{
    pool one({.size = 1, .acquire_budget = 1s}, database.functions());
    const auto held = one.acquire();
    const guest late(
        runtime, [&] { one.acquire(); }, 30ms);

    runtime.advance(30ms);

    BOOST_TEST(late.outcome() == "no connection");
    BOOST_TEST(late.milliseconds() == 30);
}

// SEMANTICS 61
BOOST_AUTO_TEST_CASE(can_be_returned_only_what_was_leased)
{
    BOOST_TEST(!std::is_default_constructible_v<lease>);
    BOOST_TEST((!std::is_constructible_v<lease, connection*>));
    BOOST_TEST((!std::is_constructible_v<lease, std::nullptr_t>));
    BOOST_TEST(!std::is_copy_constructible_v<lease>);
    BOOST_TEST(std::is_nothrow_move_constructible_v<lease>);
}

// SEMANTICS 63
BOOST_AUTO_TEST_CASE(leases_idle_connections_in_the_order_it_is_told)
{
    const auto next_of_three = [&](fiber::idle_order idle) {
        connections fresh;
        pool three({.size = 3, .order = idle}, fresh.functions());
        std::optional<lease> leases[3];
        for (int i = 0; i < 3; ++i) { // each on a fiber of its own: a fiber may have one lease of a pool
            runtime.spawn([&, i] { leases[i] = three.acquire(); });
            runtime.advance(1ms);
        }
        for (int i : {1, 0, 2}) {
            leases[i].reset();
            runtime.advance(1ms);
        }
        const int id = three.acquire()->id;
        three.close(1s);
        return id;
    };

    BOOST_TEST(next_of_three(fiber::idle_order::most_recent) == 3);
    BOOST_TEST(next_of_three(fiber::idle_order::least_recent) == 2);
    BOOST_TEST(next_of_three(fiber::idle_order::oldest) == 1);
}

// SEMANTICS 63
BOOST_AUTO_TEST_CASE(serves_waiters_in_their_order_and_no_newcomer_before_them)
{
    pool one({.size = 1}, database.functions());
    const guest holder = borrower(one, 10ms, 1);
    const guest second = borrower(one, 10ms, 2);
    const guest third = borrower(one, 10ms, 3);
    runtime.run_ready();
    const guest returns_then_asks(runtime, [&] {
        fiber::sleep_for(10ms); // the holder returns at this moment
        const auto mine = one.acquire();
        order.push_back(4);
    });

    runtime.advance(50ms);

    BOOST_TEST(order == (std::vector<int>{1, 2, 3, 4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
