// Transactions on PostgreSQL: what is committed, what is not, and what a body may not do.
#include "postgres_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <tuple>

namespace {

using strings = std::vector<std::string>;

std::string names(db::lane& lane)
{
    return lane.one<std::string>("SELECT coalesce(string_agg(name, ',' ORDER BY id), '') FROM items");
}

void add(db::transaction& tx, const std::string& name)
{
    tx.run("INSERT INTO items (name) VALUES ($1)", name);
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(postgres_transactions, postgres_fixture)

BOOST_AUTO_TEST_CASE(a_body_that_returns_is_committed_and_one_that_throws_is_not)
{
    std::string kept;
    std::string thrown;
    std::int64_t changed = 0;
    with_items([&](db::lane& reads, db::lane& writes) {
        writes.transaction([](db::transaction& tx) { add(tx, "tea"); });
        thrown = ending_of([&] {
            writes.transaction([](db::transaction& tx) {
                add(tx, "lost");
                throw std::runtime_error("the body's own");
            });
        });
        changed = writes.run("UPDATE items SET price = 1");
        kept = names(reads);
    });
    BOOST_TEST(kept == "tea");
    BOOST_TEST(thrown == "the body's own");
    BOOST_TEST(changed == 1);
    BOOST_TEST(at_rest);
}

// SEMANTICS 99
BOOST_AUTO_TEST_CASE(a_nested_transaction_is_undone_alone)
{
    std::string kept;
    with_items([&](db::lane& reads, db::lane& writes) {
        writes.transaction([&](db::transaction& tx) {
            add(tx, "outer");
            ending_of([&] {
                tx.nested([](db::transaction& inner) {
                    add(inner, "lost");
                    add(inner, "outer"); // fails in the database: the savepoint is what saves the rest
                });
            });
            tx.nested([](db::transaction& inner) { add(inner, "inner"); });
        });
        kept = names(reads);
    });
    BOOST_TEST(kept == "outer,inner");
}

// FAULTS F06
BOOST_AUTO_TEST_CASE(a_failed_statement_that_was_swallowed_fails_the_commit)
{
    failure refused;
    std::string kept;
    with_items([&](db::lane& reads, db::lane& writes) {
        refused = failure_in([&] {
            writes.transaction([](db::transaction& tx) {
                add(tx, "lost");
                ending_of([&] { add(tx, "lost"); });
            });
        });
        kept = names(reads);
    });
    BOOST_TEST(contains(refused.message, "has failed"));
    BOOST_TEST(contains(refused.message, "duplicate key"));
    BOOST_TEST(kept == "");
    BOOST_TEST(at_rest);
}

// FAULTS F06
BOOST_AUTO_TEST_CASE(the_first_failure_that_still_stands_is_the_one_that_is_named)
{
    strings named;
    with_items([&](db::lane&, db::lane& writes) {
        named.push_back(failure_in([&] {
                            writes.transaction([](db::transaction& tx) {
                                ending_of([&] { tx.run("UPDATE items SET nonsense = 1"); });
                                ending_of([&] { add(tx, "in vain"); });
                            });
                        }).message);
        named.push_back(failure_in([&] {
                            writes.transaction([](db::transaction& tx) {
                                add(tx, "a");
                                ending_of(
                                    [&] { tx.nested([](db::transaction& inner) { add(inner, "a"); }); });
                                ending_of([&] { tx.one<int>("SELECT 1 / $1::integer", 0); });
                            });
                        }).message);
    });
    BOOST_TEST(contains(named[0], "nonsense"), named[0]);
    BOOST_TEST(contains(named[1], "division by zero"), named[1]);
}

// SEMANTICS 109: BEGIN goes with the first statement, and the server is told its limits then
BOOST_AUTO_TEST_CASE(the_first_statements_time_is_not_the_transactions)
{
    std::string ending;
    with_items([&](db::lane&, db::lane& writes) {
        ending = ending_of([&] {
            fiber::within(60s, [&] {
                writes.transaction([](db::transaction& tx) {
                    try {
                        fiber::within(300ms, [&] { add(tx, "a"); });
                    } catch (const heddle::deadline_exceeded&) {
                        throw std::runtime_error("the machine is too slow for this test");
                    }
                    tx.one<bool>(
                        "SELECT pg_sleep(1) IS NULL"); // longer than 300 ms and what they are given beyond
                });
            });
        });
    });
    BOOST_TEST(ending == "returned");
}

// SEMANTICS 81: the server has ended the session
BOOST_AUTO_TEST_CASE(a_transaction_that_was_idle_for_too_long_is_unavailable)
{
    failure ended;
    std::string kind;
    std::string after;
    pool.size = 1;
    server.application_name = "idle";
    with_items([&](db::lane& reads, db::lane& writes) {
        const auto body = [](db::transaction& tx) {
            tx.run("SET LOCAL idle_in_transaction_session_timeout = 20");
            while (services::ask(
                       "sql SELECT count(*) FROM pg_stat_activity WHERE application_name = 'idle'") != "0")
                fiber::sleep_for(10ms);
            add(tx, "lost");
        };
        ended = failure_in([&] { writes.transaction(body); });
        kind = ending_of([&] { writes.transaction(body); });
        after = ending_of([&] { reads.one<int>("SELECT 1"); });
    });
    BOOST_TEST(ended.code == "25P03");
    BOOST_TEST(kind == "unavailable");
    BOOST_TEST(after == "returned");
    BOOST_TEST(at_rest);
}

// SEMANTICS 104, FAULTS F06
BOOST_AUTO_TEST_CASE(a_body_cannot_begin_or_end_transactions_itself)
{
    strings endings;
    std::string kept;
    pool.size = 1;
    with_items([&](db::lane& reads, db::lane& writes) {
        for (const char* text : {"BEGIN", "COMMIT", " /* a /* nested */ comment */ rollback", "-- a\nEND",
                                 "SAVEPOINT mine", "START TRANSACTION", "ABORT"})
            endings.push_back(ending_of([&] {
                writes.transaction([&](db::transaction& tx) {
                    add(tx, "lost");
                    tx.run(text);
                });
            }));
        endings.push_back(ending_of(
            [&] { writes.transaction([&](db::transaction& tx) { tx.script("ROLLBACK; BEGIN"); }); }));
        endings.push_back(ending_of([&] { reads.one<int>("BEGIN"); }));
        kept = names(reads);
    });
    BOOST_TEST(endings == strings(9, "internal"), boost::test_tools::per_element());
    BOOST_TEST(kept == "");
    BOOST_TEST(at_rest);
}

// What the text does not show is found by its effect.
BOOST_AUTO_TEST_CASE(a_transaction_that_was_ended_behind_the_lane_is_found_at_once)
{
    failure found;
    std::string after;
    with_items([&](db::lane& reads, db::lane& writes) {
        found = failure_in(
            [&] { writes.transaction([&](db::transaction& tx) { tx.run("PREPARE TRANSACTION 'x'"); }); });
        after = ending_of([&] { reads.one<int>("SELECT 1"); });
    });
    BOOST_TEST(found.message != "");
    BOOST_TEST(after == "returned");
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_CASE(a_read_cannot_write)
{
    strings endings;
    std::string kept;
    with_items([&](db::lane& reads, db::lane& writes) {
        const char* text = "INSERT INTO items (name) VALUES ('lost') RETURNING 1";
        endings.push_back(failure_in([&] { reads.one<int>(text); }).code);
        endings.push_back(
            failure_in([&] { reads.read([&](db::transaction& tx) { tx.one<int>(text); }); }).code);
        kept = names(writes);
    });
    BOOST_TEST(endings == strings(2, "25006"), boost::test_tools::per_element());
    BOOST_TEST(kept == "");
}

BOOST_AUTO_TEST_CASE(a_read_sees_one_state)
{
    std::vector<std::int64_t> seen;
    with_items([&](db::lane& reads, db::lane& writes) {
        std::atomic<bool> looked = false;
        std::atomic<bool> written = false;
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] {
                reads.read([&](db::transaction& tx) {
                    seen.push_back(tx.one<std::int64_t>("SELECT count(*) FROM items"));
                    looked = true;
                    wait_for(written);
                    seen.push_back(tx.one<std::int64_t>("SELECT count(*) FROM items"));
                });
            });
            tasks.start([&] {
                wait_for(looked);
                writes.run("INSERT INTO items (name) VALUES ('new')");
                written = true;
            });
        });
        seen.push_back(reads.one<std::int64_t>("SELECT count(*) FROM items"));
    });
    BOOST_TEST(seen == (std::vector<std::int64_t>{0, 0, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_kinds_of_errors)
{
    strings kinds;
    failure syntax;
    with_items([&](db::lane& reads, db::lane& writes) {
        writes.run("INSERT INTO items (name) VALUES ('a')");
        kinds = {ending_of([&] { writes.run("INSERT INTO items (name) VALUES ('a')"); }),
                 ending_of([&] { writes.run("INSERT INTO items (name) VALUES (NULL)"); }),
                 ending_of([&] { reads.one<int>("SELECT 1 / $1::integer", 0); }),
                 ending_of([&] { reads.one<int>("SELECT nonsense"); }),
                 ending_of([&] { reads.one<int>("SELECT 1; SELECT 2"); }),
                 ending_of([&] { reads.one<int>(" -- nothing"); }),
                 ending_of([&] { writes.run("COPY items TO STDOUT"); }),
                 ending_of([&] { writes.script("COPY items FROM STDIN"); })};
        syntax = failure_in([&] { reads.one<int>("SELEKT 1"); });
    });
    BOOST_TEST(kinds == (strings{"constraint", "constraint", "value", "internal", "internal", "internal",
                                 "internal", "internal"}),
               boost::test_tools::per_element());
    BOOST_TEST(syntax.code == "42601");
    BOOST_TEST(at_rest);
}

// A deferred constraint is looked at by COMMIT.
BOOST_AUTO_TEST_CASE(a_commit_that_is_refused_has_committed_nothing)
{
    std::string refused;
    std::int64_t left = -1;
    with_items([&](db::lane& reads, db::lane& writes) {
        writes.script(
            "CREATE TABLE IF NOT EXISTS parts (item BIGINT REFERENCES items DEFERRABLE INITIALLY DEFERRED)");
        refused = ending_of([&] { writes.run("INSERT INTO parts VALUES (404)"); });
        left = reads.one<std::int64_t>("SELECT count(*) FROM parts");
        writes.script("DROP TABLE parts");
    });
    BOOST_TEST(refused == "constraint");
    BOOST_TEST(left == 0);
    BOOST_TEST(at_rest);
}

// BEGIN, with what the server must know of the deadline, goes with the first statement.
BOOST_AUTO_TEST_CASE(a_transaction_needs_one_round_trip_a_statement_and_one_for_its_commit)
{
    std::vector<int> turns;
    std::string limit;
    server.connection = services::through_relay();
    pool.size = 1;
    with_database([&](db::database& database) {
        auto& lane = database.lane("write");
        lane.script("DROP TABLE IF EXISTS turns; CREATE TABLE turns (n INTEGER)");
        const auto count = [&](const auto& body) {
            const auto before = std::stoi(services::ask("turns"));
            fiber::within(60s, [&] { lane.transaction(body); });
            turns.push_back(std::stoi(services::ask("turns")) - before);
        };
        const auto one = [](db::transaction& tx) { tx.run("INSERT INTO turns VALUES (1)"); };
        const auto three = [&](db::transaction& tx) {
            limit = tx.one<std::string>("SELECT current_setting('statement_timeout')");
            one(tx);
            one(tx);
        };
        count(one); // the statement is not known yet, so that it is asked about, after BEGIN
        count(one);
        count(three);
        count(three);
        count([](db::transaction&) {});
    });
    BOOST_TEST(turns == (std::vector<int>{4, 2, 6, 4, 0}), boost::test_tools::per_element());
    BOOST_TEST((limit != "5min" && limit.find("ms") != limit.npos), limit);
    BOOST_TEST(at_rest);
}

// The first statement of a transaction brings BEGIN along, and fails as any other.
BOOST_AUTO_TEST_CASE(a_first_statement_that_fails_leaves_a_transaction_that_is_rolled_back)
{
    strings endings;
    std::int64_t left = -1;
    pool.size = 1;
    with_items([&](db::lane& reads, db::lane& writes) {
        const auto divide = [](db::transaction& tx, int by) { tx.one<int>("SELECT 1 / $1::int", by); };
        const auto insert = [](db::transaction& tx) { tx.run("INSERT INTO items (name) VALUES ('a')"); };
        endings.push_back(ending_of([&] { writes.transaction([&](auto& tx) { divide(tx, 1); }); }));
        endings.push_back(ending_of([&] { writes.transaction([&](auto& tx) { divide(tx, 0); }); }));
        endings.push_back(ending_of([&] { // and goes on as if nothing had been
            writes.transaction([&](db::transaction& tx) {
                ending_of([&] { divide(tx, 0); });
                insert(tx);
            });
        }));
        endings.push_back(ending_of([&] { // it is not sent: the value does not fit
            writes.transaction([&](db::transaction& tx) {
                ending_of([&] { tx.one<int>("SELECT 1 / $1::int", std::int64_t{1} << 40); });
                insert(tx);
                throw std::runtime_error("enough");
            });
        }));
        left = reads.one<std::int64_t>("SELECT count(*) FROM items");
    });
    BOOST_TEST(endings == (strings{"returned", "value", "internal", "enough"}),
               boost::test_tools::per_element());
    BOOST_TEST(left == 0);
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_SUITE_END()
