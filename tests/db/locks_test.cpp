// The lock for writing: the turn among our own transactions, and the lock that other processes may hold.
#include "database_fixture.hpp"
#include "stranger.hpp"

#include <heddle/fiber/scope.hpp>

#define BOOST_TEST_MODULE locks
#include <boost/test/unit_test.hpp>

#include <array>

BOOST_FIXTURE_TEST_SUITE(locks, database_fixture)

// FAULTS F14
BOOST_AUTO_TEST_CASE(waits_for_another_processs_lock_without_holding_up_others)
{
    stranger other{directory.path("test.db")};
    BOOST_REQUIRE(other.run("BEGIN IMMEDIATE"));
    std::string writing;
    start(writing, [&] { add("tea"); });
    runtime.advance(500ms);
    BOOST_TEST(writing == "");
    BOOST_TEST(count() == 0); // readers go on

    BOOST_REQUIRE(other.run("COMMIT"));
    runtime.advance(20ms);

    BOOST_TEST(writing == "returned");
    BOOST_TEST((writes.statistics().lock_wait.sum >= 500ms));
}

// SEMANTICS 86, 107: told apart from the end of the time
BOOST_AUTO_TEST_CASE(gives_up_on_a_lock_after_its_budget)
{
    stranger other{directory.path("test.db")};
    BOOST_REQUIRE(other.run("BEGIN IMMEDIATE"));
    std::string writing;
    start(writing, [&] { add("tea"); });

    runtime.advance(1990ms);
    BOOST_TEST(writing == "");
    runtime.advance(20ms);

    BOOST_TEST(writing == "unavailable");
    BOOST_TEST(writes.statistics().not_begun == 1U);
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 107, 109
BOOST_AUTO_TEST_CASE(a_wait_for_the_lock_ends_with_the_request)
{
    stranger other{directory.path("test.db")};
    BOOST_REQUIRE(other.run("BEGIN IMMEDIATE"));
    std::string writing;
    start(writing, [&] { fiber::within(100ms, [&] { add("tea"); }); });

    runtime.advance(100ms);

    BOOST_TEST(writing == "timed_out"); // nothing was done yet
    BOOST_TEST(is_at_rest());
}

BOOST_AUTO_TEST_CASE(writers_have_their_turns_in_the_order_in_which_they_came)
{
    std::string order;
    std::array<std::string, 3> ended;
    for (std::size_t i = 0; i < 3; ++i)
        start(ended[i], [&, i] {
            writes.transaction([&](db::transaction& tx) {
                order += std::to_string(i) + "<";
                fiber::sleep_for(10ms);
                tx.run("INSERT INTO items (name) VALUES ($1)", std::to_string(i));
                order += ">";
            });
        });

    runtime.advance(40ms);

    BOOST_TEST(order == "0<>1<>2<>");
}

// SEMANTICS 109
BOOST_AUTO_TEST_CASE(a_turn_that_does_not_come_in_time_is_given_up)
{
    std::string first;
    std::string second;
    start(first, [&] { writes.transaction([](db::transaction&) { fiber::sleep_for(3s); }); });
    runtime.run_ready();
    start(second, [&] { add("tea"); });

    runtime.advance(2s);
    BOOST_TEST(second == "unavailable");
    runtime.advance(1s);

    BOOST_TEST(first == "returned");
    BOOST_TEST(is_at_rest());
}

// FAULTS F12. The read comes first: a transaction that began as a reader could not become the writer.
BOOST_AUTO_TEST_CASE(read_then_write_loses_no_update)
{
    add("counter");
    writes.run("UPDATE items SET price = 0");
    int refused = 0;
    for (int i = 0; i < 16; ++i) {
        runtime.spawn([&] {
            for (int round = 0; round < 20; ++round) {
                const auto ending = ending_of([&] {
                    writes.transaction([](db::transaction& tx) {
                        const auto n = tx.one<double>("SELECT price FROM items");
                        fiber::sleep_for(1ms);
                        tx.run("UPDATE items SET price = $1", n + 1);
                    });
                });
                refused += ending == "returned" ? 0 : 1;
            }
        });
    }

    runtime.advance(2s);

    BOOST_TEST(refused > 0);
    BOOST_TEST(reads.one<double>("SELECT price FROM items") == 16 * 20 - refused);
    BOOST_TEST(is_at_rest());
}

BOOST_AUTO_TEST_SUITE_END()
