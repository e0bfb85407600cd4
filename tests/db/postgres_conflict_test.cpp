// Transactions that meet: locks, serialization failures, and the isolation that each of them asks for.
#include "postgres_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>

namespace {

using strings = std::vector<std::string>;

} // namespace

BOOST_FIXTURE_TEST_SUITE(postgres_conflicts, postgres_fixture)

// SEMANTICS 107
BOOST_AUTO_TEST_CASE(a_lock_that_is_not_to_be_had_is_told_apart_from_a_time_out)
{
    failure lock;
    std::string kind;
    server.lock_budget = 100ms;
    with_items([&](db::lane&, db::lane& writes) {
        writes.run("INSERT INTO items (name) VALUES ('a')");
        std::atomic<bool> locked = false;
        std::atomic<bool> refused = false;
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] {
                writes.transaction([&](db::transaction& tx) {
                    tx.run("UPDATE items SET price = 1");
                    locked = true;
                    wait_for(refused);
                });
            });
            tasks.start([&] {
                wait_for(locked);
                lock = failure_in([&] { writes.run("UPDATE items SET price = 2"); });
                kind = ending_of([&] { writes.run("UPDATE items SET price = 3"); });
                refused = true;
            });
        });
    });
    BOOST_TEST(lock.code == "55P03");
    BOOST_TEST(kind == "conflict");
}

// SEMANTICS 108
BOOST_AUTO_TEST_CASE(a_serialization_failure_is_a_conflict_and_retried_only_where_that_was_asked_for)
{
    std::atomic<int> conflicts = 0;
    std::atomic<int> bodies = 0;
    double sum = 0;
    with_items([&](db::lane& reads, db::lane& writes) {
        writes.run("INSERT INTO items (name, price) VALUES ('a', 0)");
        const auto increment = [&](int retries) {
            writes.transaction({.isolation = db::isolation::serializable, .retries = retries},
                               [&](db::transaction& tx) {
                                   ++bodies;
                                   const auto price = tx.one<double>("SELECT price FROM items");
                                   fiber::sleep_for(20ms);
                                   tx.run("UPDATE items SET price = $1", price + 1);
                               });
        };
        const auto together = [&](int retries) {
            fiber::task_group::run([&](fiber::task_group& tasks) {
                for (int i = 0; i < 2; ++i)
                    tasks.start(
                        [&] { conflicts += ending_of([&] { increment(retries); }) == "conflict" ? 1 : 0; });
            });
        };
        together(0);
        together(5);
        sum = reads.one<double>("SELECT price FROM items");
    });
    BOOST_TEST(conflicts == 1);
    BOOST_TEST(bodies >= 5);
    BOOST_TEST(sum == 3);
    BOOST_TEST(at_rest);
}

// SEMANTICS 110
BOOST_AUTO_TEST_CASE(isolation_is_the_transactions_own)
{
    strings seen;
    pool.size = 1;
    with_items([&](db::lane& reads, db::lane& writes) {
        const auto look = [&](db::transaction& tx) {
            seen.push_back(tx.one<std::string>("SELECT current_setting('transaction_isolation') || ' ' || "
                                               "current_setting('transaction_read_only') || ' ' || "
                                               "current_setting('transaction_deferrable')"));
        };
        writes.transaction({.isolation = db::isolation::serializable}, look);
        writes.transaction(look);
        reads.read({.isolation = db::isolation::serializable, .deferrable = true}, look);
        reads.read(look);
    });
    BOOST_TEST(seen == (strings{"serializable off off", "read committed off off", "serializable on on",
                                "repeatable read on off"}),
               boost::test_tools::per_element());
}

// What a function of the user's does not support is no reason to run it again.
BOOST_AUTO_TEST_CASE(only_a_stale_plan_is_a_stale_statement)
{
    strings endings;
    std::int64_t calls = 0;
    with_items([&](db::lane& reads, db::lane& writes) {
        writes.script("CREATE OR REPLACE FUNCTION unsupported() RETURNS integer LANGUAGE plpgsql AS "
                      "$$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '0A000'; END $$");
        for (int i = 0; i < 2; ++i)
            endings.push_back(ending_of([&] {
                reads.read({.retries = 3}, [&](db::transaction& tx) {
                    ++calls;
                    tx.one<int>("SELECT unsupported()");
                });
            }));
    });
    BOOST_TEST(endings == strings(2, "internal"), boost::test_tools::per_element());
    BOOST_TEST(calls == 2);
}

BOOST_AUTO_TEST_SUITE_END()
