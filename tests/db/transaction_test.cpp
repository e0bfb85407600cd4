// What a transaction promises on SQLite, beyond what promises_test.cpp shows on each database.
#include "database_fixture.hpp"

#include <heddle/fiber/scope.hpp>

#define BOOST_TEST_MODULE transaction
#include <boost/test/unit_test.hpp>

#include <vector>

BOOST_FIXTURE_TEST_SUITE(transaction, database_fixture)

BOOST_AUTO_TEST_CASE(commits_when_its_body_returns_and_rolls_back_when_it_throws)
{
    writes.transaction([](db::transaction& tx) { tx.run("INSERT INTO items (name) VALUES ('kept')"); });
    const auto thrown = ending_of([&] {
        writes.transaction([](db::transaction& tx) {
            tx.run("INSERT INTO items (name) VALUES ('lost')");
            throw std::runtime_error("no");
        });
    });

    BOOST_TEST(thrown == "no");
    BOOST_TEST(reads.one<std::string>("SELECT group_concat(name) FROM items") == "kept");
}

BOOST_AUTO_TEST_CASE(a_body_may_end_it_and_still_return_a_value)
{
    const auto undone = writes.transaction([](db::transaction& tx) {
        tx.run("INSERT INTO items (name) VALUES ('lost')");
        tx.rollback();
        return 1;
    });
    const auto done = writes.transaction([](db::transaction& tx) {
        tx.run("INSERT INTO items (name) VALUES ('kept')");
        tx.commit();
        return 2;
    });

    BOOST_TEST(undone + done == 3);
    BOOST_TEST(reads.one<std::string>("SELECT name FROM items") == "kept");
}

BOOST_AUTO_TEST_CASE(a_deadline_that_passes_in_the_body_commits_nothing)
{
    std::string ending;
    start(ending, [&] {
        fiber::within(10ms, [&] {
            writes.transaction([&](db::transaction& tx) {
                tx.run("INSERT INTO items (name) VALUES ('lost')");
                fiber::shield(1s, [] { fiber::sleep_for(20ms); });
            });
        });
    });
    runtime.advance(20ms);

    BOOST_TEST(ending == "deadline");
    BOOST_TEST(count() == 0);
}

// SEMANTICS 99
BOOST_AUTO_TEST_CASE(a_nested_rollback_keeps_the_outer_work)
{
    std::string inner;
    writes.transaction([&](db::transaction& tx) {
        tx.run("INSERT INTO items (name) VALUES ('outer')");
        inner = ending_of([&] {
            tx.nested([](db::transaction& nested) {
                nested.run("INSERT INTO items (name) VALUES ('inner')");
                throw std::runtime_error("only the inner");
            });
        });
        const auto added = tx.nested([](db::transaction& nested) {
            return nested.nested(
                [](db::transaction& deep) { return deep.run("INSERT INTO items (name) VALUES ('deep')"); });
        });
        tx.run("UPDATE items SET price = $1", added);
    });

    BOOST_TEST(inner == "only the inner");
    BOOST_TEST(reads.one<std::string>("SELECT group_concat(name || price) FROM items") == "outer1.0,deep1.0");
}

BOOST_AUTO_TEST_CASE(the_outer_one_waits_while_a_nested_one_is_open)
{
    const auto ending = ending_of([&] {
        writes.transaction([](db::transaction& tx) {
            tx.nested([&](db::transaction&) { tx.run("INSERT INTO items (name) VALUES ('x')"); });
        });
    });

    BOOST_TEST(ending == "transaction_done");
    BOOST_TEST(count() == 0);
}

// SEMANTICS 104
BOOST_AUTO_TEST_CASE(raw_transaction_statements_are_refused)
{
    for (const char* text :
         {"BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT a", "RELEASE a", "BEGIN IMMEDIATE"}) {
        const auto message = message_of([&] {
            writes.transaction([&](db::transaction& tx) {
                tx.run("INSERT INTO items (name) VALUES ('lost')");
                tx.run(text);
            });
        });
        BOOST_TEST(contains(message, "are the lane's"), text << ": " << message);
    }
    BOOST_TEST(contains(message_of([&] { writes.script("INSERT INTO items (name) VALUES ('x'); COMMIT;"); }),
                        "are the lane's"));
    BOOST_TEST(count() == 0);
}

BOOST_AUTO_TEST_CASE(one_that_the_database_ended_runs_and_commits_nothing_more)
{
    add("tea");
    std::string conflict;
    std::string next;
    const auto ending = ending_of([&] {
        writes.transaction([&](db::transaction& tx) {
            tx.run("INSERT INTO items (name) VALUES ('lost')");
            conflict = ending_of([&] { tx.run("INSERT OR ROLLBACK INTO items (name) VALUES ('tea')"); });
            next = ending_of([&] { tx.run("INSERT INTO items (name) VALUES ('outside')"); });
        });
    });

    BOOST_TEST(conflict == "constraint");
    BOOST_TEST(next == "transaction_done");
    BOOST_TEST(ending == "transaction_done");
    BOOST_TEST(count() == 1);
    BOOST_TEST(is_at_rest());
}

BOOST_AUTO_TEST_CASE(a_failed_statement_leaves_the_others_of_its_transaction)
{
    add("tea");
    writes.transaction([&](db::transaction& tx) {
        tx.run("INSERT INTO items (name) VALUES ('kept')");
        ending_of([&] { tx.run("INSERT INTO items (name) VALUES ('tea')"); });
    });

    BOOST_TEST(count() == 2);
}

// SEMANTICS 113
BOOST_AUTO_TEST_CASE(the_request_remembers_a_committed_write_and_only_that)
{
    const auto committed_after = [&](auto work) {
        fiber::scope request{{}};
        ending_of(work);
        return request.has_committed();
    };

    BOOST_TEST(!committed_after([&] { count(); }));
    BOOST_TEST(!committed_after([&] { reads.read([](db::transaction& tx) { tx.one<int>("SELECT 1"); }); }));
    BOOST_TEST(!committed_after([&] { writes.transaction([](db::transaction&) { throw 1; }); }));
    BOOST_TEST(!committed_after([&] { writes.transaction([](db::transaction& tx) { tx.rollback(); }); }));
    BOOST_TEST(committed_after([&] { add("tea"); }));
    BOOST_TEST(committed_after([&] {
        writes.transaction([](db::transaction& tx) {
            tx.commit();
            throw 1;
        });
    }));
}

BOOST_AUTO_TEST_CASE(a_read_sees_one_state_of_the_database)
{
    add("before");
    std::string ending;
    std::vector<std::int64_t> seen;
    start(ending, [&] {
        reads.read([&](db::transaction& tx) {
            seen.push_back(tx.one<std::int64_t>("SELECT count(*) FROM items"));
            fiber::sleep_for(10ms);
            seen.push_back(tx.one<std::int64_t>("SELECT count(*) FROM items"));
        });
    });
    runtime.run_ready();

    add("meanwhile");
    runtime.advance(10ms);

    BOOST_TEST((seen == std::vector<std::int64_t>{1, 1}));
    BOOST_TEST(count() == 2);
}

BOOST_AUTO_TEST_CASE(a_read_does_not_write)
{
    const auto message = message_of(
        [&] { reads.read([](db::transaction& tx) { tx.run("INSERT INTO items (name) VALUES ('tea')"); }); });

    BOOST_TEST(contains(message, "needs run() or transaction()"));
    BOOST_TEST(count() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
