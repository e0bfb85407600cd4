// What stays in a connection between two borrowers, and what does not: settings, statements, rows that nobody
// has read.
#include "postgres_fixture.hpp"

#include <heddle/db/sqlite.hpp>
#include <heddle/testing/temporary_directory.hpp>

#include "postgres/statement_text.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <tuple>

namespace {

using strings = std::vector<std::string>;

} // namespace

BOOST_FIXTURE_TEST_SUITE(postgres_sessions, postgres_fixture)

// SEMANTICS 80
BOOST_AUTO_TEST_CASE(session_state_never_reaches_the_next_borrower)
{
    pool.size = 1;
    strings seen;
    std::int64_t before = 0;
    std::int64_t after = 0;
    with_items([&](db::lane& reads, db::lane& writes) {
        const auto setting = [&] {
            return reads.one<std::string>("SELECT current_setting('work_mem') || ' ' || "
                                          "current_setting('default_transaction_read_only')");
        };
        before = backend_of(reads);
        seen.push_back(setting());
        writes.run("SET work_mem = '77kB'");
        writes.run("SET default_transaction_read_only = off");
        seen.push_back(setting());
        writes.transaction(
            [](db::transaction& tx) { tx.one<std::string>("SELECT set_config('work_mem', '78kB', false)"); });
        seen.push_back(setting());
        writes.run("CREATE TEMP TABLE left_over (id INTEGER)");
        seen.push_back(ending_of([&] { reads.one<std::int64_t>("SELECT count(*) FROM left_over"); }));
        writes.transaction([](db::transaction& tx) {
            tx.for_each<db::row>([](const db::row&) {}, "SELECT pg_advisory_lock(7)");
        });
        seen.push_back(std::to_string(
            reads.one<std::int64_t>("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")));
        writes.run("LISTEN news");
        seen.push_back(
            std::to_string(reads.one<std::int64_t>("SELECT count(*) FROM pg_listening_channels()")));
        after = backend_of(reads);
    });
    BOOST_TEST(seen[1] == seen[0]);
    BOOST_TEST(seen[2] == seen[0]);
    BOOST_TEST(seen[3] == "internal");
    BOOST_TEST(seen[4] == "0");
    BOOST_TEST(seen[5] == "0");
    BOOST_TEST(before == after); // by taking it back, not by closing the connection
}

BOOST_AUTO_TEST_CASE(what_a_text_may_leave_behind)
{
    using db::pg::is_dirtying;
    for (const char* text :
         {"SELECT 1", " -- a\n(select 2)", "INSERT INTO t VALUES (1)", "WITH a AS (SELECT 1) SELECT 1",
          "SELECT pg_advisory_xact_lock(1)", "UPDATE t SET a = 1", "DELETE FROM t", "VALUES (1)"})
        BOOST_TEST(!is_dirtying(text), text);
    for (const char* text : {"SET a = 1", "SELECT Set_Config('a', 'b', false)", "select pg_advisory_lock(1)",
                             "SELECT pg_try_advisory_lock_shared(1)", "SELECT 1 INTO TEMP t",
                             "CREATE TABLE t ()", "LISTEN a", "PREPARE a AS SELECT 1", "DO ''"})
        BOOST_TEST(is_dirtying(text), text);
}

// FAULTS F27
BOOST_AUTO_TEST_CASE(a_schema_change_needs_no_restart)
{
    const int requests = repeats(50, 200);
    std::atomic<int> right = 0;
    std::atomic<int> failed = 0;
    int refused_inside = 0;
    with_items([&](db::lane& reads, db::lane& writes) {
        writes.run("INSERT INTO items (name) VALUES ('a')");
        const auto many = [&](const auto& f) {
            fiber::task_group::run([&](fiber::task_group& tasks) {
                for (int i = 0; i < requests; ++i)
                    tasks.start([&] { ending_of(f) == "returned" ? ++right : ++failed; });
            });
        };
        const auto read = [&] { reads.for_each<db::row>([](const db::row&) {}, "SELECT * FROM items"); };
        many(read);
        services::ask("sql ALTER TABLE items ADD COLUMN colour TEXT, ALTER COLUMN price TYPE NUMERIC");
        many(read);
        services::ask("sql ALTER TABLE items ALTER COLUMN price TYPE REAL");
        for (int i = 0; i < requests; ++i) {
            const auto ending = ending_of([&] {
                reads.read([](db::transaction& tx) {
                    tx.for_each<db::row>([](const db::row&) {}, "SELECT * FROM items");
                });
            });
            refused_inside += ending == "returned" ? 0 : 1;
            failed += ending == "returned" || ending == "conflict" ? 0 : 1;
        }
    });
    BOOST_TEST(right == 2 * requests);
    BOOST_TEST(failed == 0);
    BOOST_TEST(refused_inside <= 4);
    BOOST_TEST(at_rest);
}

// FAULTS F27
BOOST_AUTO_TEST_CASE(statements_that_the_server_has_forgotten_are_prepared_again)
{
    pool.size = 1;
    strings endings;
    std::vector<std::int64_t> prepared_there;
    with_items([&](db::lane& reads, db::lane& writes) {
        const auto read = [&] { reads.one<std::int64_t>("SELECT count(*) FROM items"); };
        const auto inside = [&] {
            reads.read([](db::transaction& tx) { tx.one<std::int64_t>("SELECT count(*) FROM items"); });
        };
        read();
        writes.run("DEALLOCATE ALL");
        endings.push_back(ending_of(read));
        writes.script("DEALLOCATE ALL");
        endings.push_back(ending_of(inside));
        endings.push_back(ending_of(inside));
    });
    BOOST_TEST(endings == (strings{"returned", "conflict", "returned"}), boost::test_tools::per_element());
}

// A row's values stay where they are while it is looked at, however many columns the statement before had.
BOOST_AUTO_TEST_CASE(a_value_stays_until_the_next_row)
{
    pool.size = 1;
    strings days;
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        lane.for_each<db::row>([](const db::row& row) { row.at(0); }, "SELECT date '2020-01-01'");
        lane.for_each<db::row>(
            [&](const db::row& row) {
                std::vector<db::value> values;
                for (std::size_t i = 0; i < row.columns(); ++i)
                    values.push_back(row.at(i));
                for (const auto& value : values)
                    days.emplace_back(value.as_text());
            },
            "SELECT date '2020-01-01', date '2020-01-02', date '2020-01-03'");
    });
    BOOST_TEST(days == (strings{"2020-01-01", "2020-01-02", "2020-01-03"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_statements_that_are_kept_are_bounded_at_the_server_too)
{
    pool.size = 1;
    server.statements = 8;
    std::int64_t there = 0;
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        for (int i = 0; i < 200; ++i)
            lane.one<int>("SELECT " + std::to_string(i));
        there = lane.one<std::int64_t>("SELECT count(*) FROM pg_prepared_statements");
    });
    BOOST_TEST(there > 8);
    BOOST_TEST(there <= 8 + 33);
}

BOOST_AUTO_TEST_CASE(a_large_result_is_read_row_by_row)
{
    std::int64_t rows = 0;
    std::int64_t sum = 0;
    with_database([&](db::database& database) {
        database.lane("read").for_each<std::int64_t>([&](std::int64_t n) { ++rows, sum += n; },
                                                     "SELECT generate_series(1, 300000)::bigint");
    });
    BOOST_TEST(rows == 300'000);
    BOOST_TEST(sum == 45'000'150'000);
}

// The rest of the rows is nobody's: it is read away or stopped, and the transaction goes on.
BOOST_AUTO_TEST_CASE(rows_that_were_not_read_to_the_end_do_no_harm)
{
    std::int64_t in_the_same_transaction = 0;
    std::string later;
    double took = 0;
    pool.size = 1;
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        const auto stop_at_the_first = [](const std::int64_t&) { throw std::runtime_error("enough"); };
        lane.read([&](db::transaction& tx) {
            ending_of([&] {
                tx.for_each<std::int64_t>(stop_at_the_first, "SELECT generate_series(1, 1000)::bigint");
            });
            in_the_same_transaction = tx.one<std::int64_t>("SELECT 42::bigint");
        });
        const auto began = fiber::now();
        ending_of([&] {
            lane.for_each<std::int64_t>(stop_at_the_first, "SELECT generate_series(1, 100000000)::bigint");
        });
        took = milliseconds_since(began);
        later = ending_of([&] { lane.one<int>("SELECT 1"); });
    });
    BOOST_TEST(in_the_same_transaction == 42);
    BOOST_TEST(later == "returned");
    BOOST_TEST(took < 10'000); // all of it takes longer
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_CASE(a_second_statement_beside_open_rows_is_refused_and_named)
{
    failure refused;
    std::string later;
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        refused = failure_in([&] {
            lane.read([](db::transaction& tx) {
                tx.for_each<int>([&](int) { tx.one<int>("SELECT 2"); }, "SELECT 1");
            });
        });
        later = ending_of([&] { lane.one<int>("SELECT 1"); });
    });
    BOOST_TEST(contains(refused.message, "SELECT 2"));
    BOOST_TEST(later == "returned");
    BOOST_TEST(at_rest);
}

// FAULTS F14: one worker, one connection to each database, and many who want both.
BOOST_AUTO_TEST_CASE(waiting_for_one_connection_holds_up_nobody)
{
    std::atomic<int> done = 0;
    std::atomic<int> beats = 0;
    std::vector<double> pauses;
    heddle::testing::temporary_directory directory;
    pool = {.size = 1, .acquire_budget = 30s};
    with_database(
        [&](db::database& database) {
            db::database local{
                {.driver = db::sqlite({.path = directory.path("local.db")}),
                 .pool = {.size = 1, .acquire_budget = 30s},
                 .lanes = {{.name = "all", .running = 1, .waiting = 1000, .queue_wait = 30s}}}};
            fiber::task_group::run([&](fiber::task_group& tasks) {
                tasks.start([&] {
                    while (done < 200) {
                        const auto began = fiber::now();
                        fiber::sleep_for(5ms);
                        pauses.push_back(milliseconds_since(began));
                        ++beats;
                    }
                });
                for (int i = 0; i < 200; ++i)
                    tasks.start([&] {
                        const auto ending = ending_of([&] {
                            local.lane("all").one<int>("SELECT 1");
                            database.lane("read").for_each<db::row>([](const db::row&) {},
                                                                    "SELECT pg_sleep(0.005)");
                            local.lane("all").one<int>("SELECT 1");
                        });
                        done += ending == "returned" ? 1 : 1000;
                    });
            });
            local.close(1s);
        },
        1);
    std::sort(pauses.begin(), pauses.end());
    BOOST_TEST(done == 200);
    BOOST_TEST(beats > 20);
    BOOST_TEST(pauses[pauses.size() / 2] < 25); // 5 of them slept; a machine has hiccups
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_CASE(wrong_options_are_named)
{
    failure refused;
    fiber::run({.workers = 1}, [&] {
        refused = failure_in([&] {
            db::database{
                {.driver = db::postgres({.connection = "hots=a", .commit_budget = 0s, .statements = 0}),
                 .lanes = {{.name = "a"}}}};
        });
    });
    for (const char* part : {"postgres.connection", "hots", "commit_budget", "statements is 0"})
        BOOST_TEST(contains(refused.message, part), part << " is not in: " << refused.message);
}

BOOST_AUTO_TEST_SUITE_END()
