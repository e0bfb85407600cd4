// What a transaction promises, on each database.
#define BOOST_TEST_MODULE promises

#include "both_fixture.hpp"

#include <heddle/fiber/scope.hpp>

#include <boost/test/unit_test.hpp>

#include <array>
#include <vector>

namespace {

using strings = std::vector<std::string>;

struct one_connection : both_fixture
{
    one_connection() : both_fixture(1) {}
};

constexpr db::sql raw_begin{.sqlite = "BEGIN IMMEDIATE", .postgres = "BEGIN"};

} // namespace

BOOST_FIXTURE_TEST_SUITE(a_transaction, both_fixture)

// SEMANTICS 95
BOOST_AUTO_TEST_CASE(ends_once)
{
    const auto end_twice = [&](auto first, auto second) {
        return ending_of([&] {
            writes.transaction([&](db::transaction& tx) {
                insert(tx, "one");
                (tx.*first)();
                (tx.*second)();
            });
        });
    };
    constexpr auto commit = &db::transaction::commit;
    constexpr auto rollback = &db::transaction::rollback;

    BOOST_TEST(end_twice(rollback, commit) == "transaction_done");
    BOOST_TEST(end_twice(rollback, rollback) == "transaction_done");
    BOOST_TEST(names() == "");
    BOOST_TEST(end_twice(commit, rollback) == "transaction_done");
    BOOST_TEST(names() == "one ");
    writes.run("DELETE FROM items");
    BOOST_TEST(end_twice(commit, commit) == "transaction_done");
    BOOST_TEST(names() == "one ");
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 96
BOOST_AUTO_TEST_CASE(that_is_cancelled_and_rolled_back_by_its_body_is_undone_once)
{
    const auto ending = ending_of([&] {
        fiber::scope request{{}};
        writes.transaction([&](db::transaction& tx) {
            insert(tx, "lost");
            request.cancel();
            tx.rollback();
            fiber::sleep_for(1ms);
        });
    });

    BOOST_TEST(ending == "cancelled");
    BOOST_TEST(names() == "");
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 97
BOOST_AUTO_TEST_CASE(that_is_cancelled_runs_nothing_more)
{
    strings statements;
    const auto ending = ending_of([&] {
        fiber::scope request{{}};
        writes.transaction([&](db::transaction& tx) {
            insert(tx, "before");
            request.cancel();
            for (int i = 0; i < 2; ++i) // a body that swallows the error gets no further
                statements.push_back(ending_of([&] { insert(tx, "after"); }));
        });
    });

    BOOST_TEST(ending == "cancelled");
    BOOST_TEST((statements == strings{"cancelled", "cancelled"}));
    BOOST_TEST(names() == "");
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 98
BOOST_AUTO_TEST_CASE(ends_with_rows_that_are_still_open)
{
    for (const char* name : {"a", "b", "c"})
        add(name);
    const auto among_rows = [&](auto f) {
        return ending_of([&] {
            writes.transaction([&](db::transaction& tx) {
                tx.for_each<std::string>([&](const std::string&) { f(tx); }, "SELECT name FROM items");
            });
        });
    };

    BOOST_TEST(among_rows([](db::transaction& tx) { tx.commit(); }) == "transaction_done");
    BOOST_TEST(among_rows([](db::transaction& tx) { tx.rollback(); }) == "transaction_done");
    BOOST_TEST(among_rows([](db::transaction&) { throw std::runtime_error("enough"); }) == "enough");
    BOOST_TEST(names() == "a b c ");
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 99
BOOST_AUTO_TEST_CASE(keeps_its_work_when_a_nested_one_is_undone)
{
    std::string inner;
    writes.transaction([&](db::transaction& tx) {
        insert(tx, "outer");
        inner = ending_of([&] {
            tx.nested([](db::transaction& nested) {
                insert(nested, "lost");
                throw std::runtime_error("only the inner");
            });
        });
        tx.nested([](db::transaction& nested) {
            insert(nested, "inner");
            nested.nested([](db::transaction& deep) { insert(deep, "deep"); });
        });
    });

    BOOST_TEST(inner == "only the inner");
    BOOST_TEST(names() == "outer inner deep ");
}

// SEMANTICS 100
BOOST_AUTO_TEST_CASE(is_refused_inside_another_one)
{
    const auto second = message_of([&] {
        writes.transaction([&](db::transaction& tx) {
            insert(tx, "lost");
            names();
        });
    });

    BOOST_TEST(contains(second, "has a connection of"), second);
    BOOST_TEST(names() == "");
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 101
BOOST_AUTO_TEST_CASE(throws_what_its_body_has_thrown)
{
    const auto ending = ending_of([&] {
        writes.transaction([&](db::transaction& tx) {
            insert(tx, "lost");
            ending_of([&] { insert(tx, "lost"); }); // in PostgreSQL, nothing but a rollback is left now
            throw std::runtime_error("the body's own");
        });
    });

    BOOST_TEST(ending == "the body's own");
    BOOST_TEST(names() == "");
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 102
BOOST_AUTO_TEST_CASE(is_over_when_its_value_is_seen)
{
    const auto id = writes.transaction([](db::transaction& tx) {
        return tx.one<std::int64_t>("INSERT INTO items (name) VALUES ('tea') RETURNING id");
    });

    BOOST_TEST(database.pool_statistics().active == 0);
    BOOST_TEST(writes.statistics().gate.in_flight == 0);
    BOOST_TEST(reads.one<std::string>("SELECT name FROM items WHERE id = $1", id) == "tea");
}

// SEMANTICS 109, 114
BOOST_AUTO_TEST_CASE(has_a_budget_for_each_wait_and_none_is_longer_than_the_request)
{
    const auto after = [&](fiber::duration budget) {
        const auto began = fiber::now();
        auto ending = ending_of([&] { fiber::within(budget, [&] { names(); }); });
        return ending + " " + std::to_string((fiber::now() - began) / 1ms);
    };
    std::array<std::string, 3> busy;
    for (int i = 0; i < 2; ++i)
        runtime.spawn([&, i] {
            busy[i] = ending_of([&] {
                fiber::within(200ms, [&] { reads.read([](db::transaction&) { fiber::sleep_for(10s); }); });
            });
        });
    runtime.run_ready();
    std::string capped;
    std::string queued;
    runtime.spawn([&] { capped = after(20ms); });
    runtime.run_ready();
    runtime.advance(20ms);
    runtime.spawn([&] { queued = after(1s); });
    runtime.run_ready();
    runtime.advance(50ms);
    runtime.advance(130ms);

    BOOST_TEST(capped == "timed_out 20"); // before its body: an overload
    BOOST_TEST(queued == "timed_out 50"); // queue_wait
    BOOST_TEST(busy[0] == "deadline");    // inside of it
    BOOST_TEST(is_at_rest());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(the_next_borrower, one_connection)

// SEMANTICS 79, 104
BOOST_AUTO_TEST_CASE(sees_nothing_of_a_transaction_that_a_body_began_by_itself)
{
    for (int i = 0; i < 2; ++i) {
        const bool throws = i == 1;
        const auto ending = ending_of([&] {
            writes.transaction([&](db::transaction& tx) {
                tx.run(raw_begin);
                insert(tx, "lost");
                if (throws)
                    throw std::runtime_error("the body's own");
            });
        });
        BOOST_TEST(ending == "internal");
        BOOST_TEST(names() == "");
        BOOST_TEST(is_at_rest());
    }
}

// SEMANTICS 80: SQLite refuses it, PostgreSQL's session forgets it
BOOST_AUTO_TEST_CASE(sees_no_temporary_table)
{
    const auto made = ending_of([&] { writes.run("CREATE TEMP TABLE mine (n INTEGER)"); });

    BOOST_TEST(made == (on_postgres() ? "returned" : "internal"));
    for (auto* lane : {&writes, &reads})
        BOOST_TEST(ending_of([&] {
                       lane->read([](db::transaction& tx) { tx.query<std::int64_t>("SELECT n FROM mine"); });
                   }) == "internal");
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 85
BOOST_AUTO_TEST_CASE(gets_the_connection_whose_rows_could_not_be_read)
{
    add("tea");
    add("milk");

    BOOST_TEST(ending_of([&] { reads.query<int>("SELECT name FROM items"); }) == "row_error");
    BOOST_TEST(ending_of([&] {
                   reads.for_each<std::string>([](const std::string&) { throw std::runtime_error("enough"); },
                                               "SELECT name FROM items");
               }) == "enough");

    BOOST_TEST(is_at_rest());
    BOOST_TEST(names() == "tea milk ");
}

// SEMANTICS 108: the body is run again only where that was asked for, and only so often
BOOST_AUTO_TEST_CASE(sees_nothing_of_the_attempts_that_were_in_vain)
{
    int bodies = 0;
    const auto collide = [&](int retries, int conflicts) {
        bodies = 0;
        return ending_of([&] {
            writes.transaction({.retries = retries}, [&](db::transaction& tx) {
                insert(tx, "attempt " + std::to_string(++bodies));
                if (bodies <= conflicts)
                    throw db::error(heddle::kind::conflict, "another one was faster");
            });
        });
    };

    BOOST_TEST(collide(0, 1) == "conflict");
    BOOST_TEST(bodies == 1);
    BOOST_TEST(collide(2, 5) == "conflict");
    BOOST_TEST(bodies == 3);
    BOOST_TEST(names() == "");
    BOOST_TEST(collide(5, 3) == "returned");
    BOOST_TEST(names() == "attempt 4 ");
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 108
BOOST_AUTO_TEST_CASE(does_not_wait_for_retries_beyond_the_deadline)
{
    int bodies = 0;
    std::string ending;
    runtime.spawn([&] {
        ending = ending_of([&] {
            fiber::within(100ms, [&] {
                writes.transaction({.retries = 1000}, [&](db::transaction&) {
                    ++bodies;
                    fiber::sleep_for(40ms);
                    throw db::error(heddle::kind::conflict, "another one was faster");
                });
            });
        });
    });
    runtime.run_ready();
    for (int i = 0; i < 3; ++i) {
        runtime.advance(40ms);
        runtime.run_ready();
    }

    BOOST_TEST(ending == "deadline");
    BOOST_TEST(bodies == 3);
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 110
BOOST_AUTO_TEST_CASE(reads_and_writes_as_it_asks_whatever_was_asked_before)
{
    const auto write_in_a_read = [&](const db::transaction_options& options) {
        return ending_of([&] { reads.read(options, [](db::transaction& tx) { insert(tx, "lost"); }); });
    };
    for (const auto level : {db::isolation::standard, db::isolation::read_committed,
                             db::isolation::repeatable_read, db::isolation::serializable}) {
        BOOST_TEST(write_in_a_read({.isolation = level}) == "internal");
        writes.transaction({.isolation = level}, [](db::transaction& tx) { insert(tx, "tea"); });
        writes.run("DELETE FROM items");
    }
    BOOST_TEST(write_in_a_read({.isolation = db::isolation::serializable, .deferrable = true}) == "internal");
    BOOST_TEST(names() == "");
    BOOST_TEST(is_at_rest());
}

BOOST_AUTO_TEST_SUITE_END()
