// How a pool finds out that connections are dead or unfit, keeps them alive, and tells of an outage.
#include "pool_fixture.hpp"

#include <heddle/base/log.hpp>

#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>
#include <vector>

namespace fiber = heddle::fiber;
using heddle::testing::guest;
using heddle::testing::lease;
using heddle::testing::pool;
using heddle::testing::pool_fixture;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(health, pool_fixture)

// SEMANTICS 74
BOOST_AUTO_TEST_CASE(asks_idle_connections_often_enough_for_a_server_that_closes_silent_ones)
{
    pool two({.size = 2, .min_idle = 2, .max_idle = 0s, .keepalive = 20s}, database.functions());
    runtime.run_ready();

    for (int asked = 0; asked < 100; ++asked) {
        runtime.advance(25s); // a server that allows 30 s of silence
        BOOST_TEST(database.checks >= 2 * (asked + 1));
    }

    BOOST_TEST(database.checks <= 2 * 125);
    BOOST_TEST(database.closed.empty());
}

// SEMANTICS 74
BOOST_AUTO_TEST_CASE(does_not_ask_what_is_used_often)
{
    pool one({.size = 1, .keepalive = 20s}, database.functions());
    const guest busy(runtime, [&] {
        for (int i = 0; i < 1000; ++i) {
            const auto mine = one.acquire();
            fiber::sleep_for(500ms);
        }
    });

    runtime.advance(500s);

    BOOST_TEST(busy.outcome() == "done");
    BOOST_TEST(database.checks == 0);
}

// SEMANTICS 74, 65: being asked is no use
BOOST_AUTO_TEST_CASE(lets_a_connection_go_that_is_only_asked)
{
    pool one({.size = 1, .max_idle = 1min, .keepalive = 20s}, database.functions());
    {
        const auto once = one.acquire();
    }

    runtime.advance(59s);
    BOOST_TEST(database.checks == 2);
    BOOST_TEST(database.closed.empty());
    runtime.advance(1s);

    BOOST_TEST(database.closed.size() == 1U);
}

// SEMANTICS 74
BOOST_AUTO_TEST_CASE(replaces_a_connection_that_does_not_answer_while_nobody_waits_for_it)
{
    pool one({.size = 1, .min_idle = 1, .max_idle = 0s, .keepalive = 20s}, database.functions());
    runtime.run_ready();
    database.here[0]->alive = false;

    runtime.advance(20s);

    BOOST_TEST(database.closed == (std::vector<int>{1}), boost::test_tools::per_element());
    BOOST_TEST(one.statistics().idle == 1);
    BOOST_TEST(one.acquire()->id == 2);
}

// SEMANTICS 74, 90
BOOST_AUTO_TEST_CASE(ends_while_it_asks)
{
    database.to_check = 150ms;
    auto one = std::optional<pool>(
        std::in_place, fiber::pool_options{.size = 1, .min_idle = 1, .keepalive = 20s}, database.functions());
    runtime.advance(20s + 50ms);

    one.reset();
    runtime.advance(1s);

    BOOST_TEST(database.checks == 1);
    BOOST_TEST(database.open == 0);
    BOOST_TEST(runtime.fibers() == 0);
}

// SEMANTICS 63, 74
BOOST_AUTO_TEST_CASE(keeps_the_order_of_those_it_has_asked)
{
    pool three({.size = 3, .min_idle = 3, .max_idle = 0s, .check_after = 1h, .keepalive = 20s},
               database.functions());
    runtime.run_ready();
    std::optional<lease> leases[3];
    for (int i = 0; i < 3; ++i)
        runtime.spawn([&, i] { leases[i] = three.acquire(); });
    runtime.run_ready();
    std::vector<int> given_back;
    for (auto& one : leases) {
        given_back.push_back((*one)->id);
        one.reset();
        runtime.advance(1s);
    }

    runtime.advance(1min);
    BOOST_TEST(database.checks == 9);
    const auto all = borrowers(3, three, 1s);
    runtime.advance(1s);

    BOOST_TEST(order == (std::vector<int>{given_back[2], given_back[1], given_back[0]}),
               boost::test_tools::per_element());
}

// SEMANTICS 72, FAULTS F03: after a restart of the database only one borrower sees a dead connection
BOOST_AUTO_TEST_CASE(checks_those_that_were_used_shortly_before_another_one_broke)
{
    pool three({.size = 3, .check_after = 1min}, database.functions());
    const auto before = borrowers(3, three, 1ms);
    runtime.advance(2ms);
    BOOST_TEST(database.checks == 0);
    for (auto* one : database.here)
        one->alive = false;

    const guest first(runtime, [&] { three.acquire().mark_broken(); });
    runtime.run_ready();
    const int next = three.acquire()->id;
    BOOST_TEST(next > 3);
    BOOST_TEST(database.checks == 2);
    runtime.advance(1ms);
    const int again = three.acquire()->id;

    BOOST_TEST(again == next);
    BOOST_TEST(database.checks == 2);
}

// SEMANTICS 82
BOOST_AUTO_TEST_CASE(closes_what_its_owner_does_not_want_to_keep)
{
    auto functions = database.functions();
    std::vector<int> asked;
    functions.keep = [&](heddle::testing::connection& one) {
        asked.push_back(one.id);
        return one.id != 1;
    };
    pool one({.size = 1}, functions);

    for (int i = 0; i < 3; ++i) {
        const guest each = borrower(one, 1ms);
        runtime.advance(1ms);
    }

    BOOST_TEST(order == (std::vector<int>{1, 2, 2}), boost::test_tools::per_element());
    BOOST_TEST(asked == (std::vector<int>{1, 2, 2}), boost::test_tools::per_element());
    BOOST_TEST(database.closed == (std::vector<int>{1}), boost::test_tools::per_element());
}

// SEMANTICS 64, FAULTS F03
BOOST_AUTO_TEST_CASE(tells_an_outage_in_two_lines)
{
    std::vector<std::string> lines;
    const heddle::log::capture capture(
        [&](heddle::log::level, std::string_view line) { lines.emplace_back(line); });
    pool four({.name = "p", .size = 4, .min_idle = 4}, database.functions());
    database.down = true;
    runtime.advance(1min);
    BOOST_TEST(database.attempts > 40);
    BOOST_TEST(lines.size() == 1U);
    BOOST_TEST(lines.front().find("attempt 1 refused") != std::string::npos);

    database.down = false;
    runtime.advance(5s);

    BOOST_TEST(lines.size() == 2U);
    BOOST_TEST(lines.back().find("again") != std::string::npos);
    BOOST_TEST(four.statistics().idle == 4);
}

// SEMANTICS 84, 74: a connection that is being asked is closed, too
BOOST_AUTO_TEST_CASE(clears_what_it_asks)
{
    database.to_check = 100ms;
    pool one({.size = 1, .min_idle = 1, .max_idle = 0s, .keepalive = 20s}, database.functions());
    runtime.advance(20s + 50ms);

    one.clear();
    runtime.advance(100ms);

    BOOST_TEST(database.closed == (std::vector<int>{1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
