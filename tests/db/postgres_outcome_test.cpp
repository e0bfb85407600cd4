// What is said about a transaction's end is what the tables show, whatever its body, the network or the
// server do.
#include "postgres_fixture.hpp"

#include "postgres/statement_text.hpp"

#include <boost/test/unit_test.hpp>

namespace {

using strings = std::vector<std::string>;

struct outcome_fixture : postgres_fixture
{
    outcome_fixture()
    {
        pool.size = 1;
        pool.acquire_budget = 10s;
    }

    // How a transaction of this script ends, when it may be tried again; and how often it was written.
    std::string outcome_of(const std::string& script, fiber::duration budget = 30s,
                           const std::function<void()>& meanwhile = {})
    {
        std::string outcome;
        with_items([&](db::lane& reads, db::lane& writes) {
            fiber::task_group::run([&](fiber::task_group& tasks) {
                tasks.start([&] {
                    outcome = ending_of([&] {
                        fiber::within(budget, [&] {
                            writes.transaction({.retries = 1},
                                               [&](db::transaction& tx) { tx.script(script); });
                        });
                    });
                });
                if (meanwhile)
                    tasks.start(meanwhile);
            });
            outcome += " " + std::to_string(reads.one<std::int64_t>("SELECT count(*) FROM items"));
        });
        return outcome;
    }
};

const std::string insert = "INSERT INTO items (name) SELECT 'name ' || count(*) FROM items; ";

void wait_until_it_sleeps()
{
    while (
        services::ask("sql SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND application_name "
                      "= 'heddle' AND query LIKE '%pg_sleep%'") == "0")
        fiber::sleep_for(5ms);
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(postgres_outcomes, outcome_fixture)

// SEMANTICS 104: what the script has committed is not said not to be written, nor written again
BOOST_AUTO_TEST_CASE(a_script_that_has_committed_and_then_fails_is_unknown)
{
    const std::string fails = "SELECT 1 / 0";
    BOOST_TEST(outcome_of(insert + "COMMIT; " + fails) == "outcome_unknown 1");
    BOOST_TEST(outcome_of(insert + "END; BEGIN; " + fails) == "outcome_unknown 1");
    BOOST_TEST(outcome_of(insert + "COMMIT AND CHAIN; " + fails) == "outcome_unknown 1");
    BOOST_TEST(outcome_of(insert + "COMMIT") == "outcome_unknown 1");
    BOOST_TEST(outcome_of("ROLLBACK; SET transaction_read_only = off; " + insert) ==
               "outcome_unknown 1"); // a transaction of its own
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_CASE(a_script_that_has_not_committed_fails_as_it_is)
{
    BOOST_TEST(outcome_of(insert + "SELECT 1 / 0") == "value 0");
    BOOST_TEST(outcome_of(insert + "ROLLBACK; SELECT 1 / 0") == "value 0");
    BOOST_TEST(outcome_of(insert + "ROLLBACK; BEGIN") == "internal 0");
    BOOST_TEST(outcome_of(insert + "SAVEPOINT mine") == "internal 0");
    BOOST_TEST(outcome_of(insert) == "returned 1");
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_CASE(what_a_script_may_end)
{
    using db::pg::may_end_transaction;
    for (const char* text :
         {"INSERT INTO t VALUES (1);COMMIT", "a; END; b", "prepare transaction 'a'", "ROLLBACK"})
        BOOST_TEST(may_end_transaction(text), text);
    for (const char* text : {"", "INSERT INTO t VALUES (1)", "SELECT committed FROM ends, end_1, weekend"})
        BOOST_TEST(!may_end_transaction(text), text);
}

// SEMANTICS 104
BOOST_AUTO_TEST_CASE(a_script_that_has_committed_and_then_is_late_is_unknown)
{
    const std::string is_late = "SELECT pg_sleep(20)";
    BOOST_TEST(outcome_of(insert + "COMMIT; " + is_late, 300ms) == "outcome_unknown 1");
    BOOST_TEST(outcome_of(insert + "COMMIT; BEGIN; " + is_late, 300ms) == "outcome_unknown 1");
    BOOST_TEST(outcome_of(insert + is_late, 300ms) == "deadline 0");
    BOOST_TEST(at_rest);
}

// SEMANTICS 104
BOOST_AUTO_TEST_CASE(a_script_that_may_have_committed_when_its_connection_was_lost_is_unknown)
{
    server.connection = services::through_relay();
    const auto cut = [] {
        wait_until_it_sleeps();
        services::ask("cut");
        services::ask("sql SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%(20)'");
    };
    BOOST_TEST(outcome_of(insert + "COMMIT; SELECT pg_sleep(20)", 30s, cut) == "outcome_unknown 1");
    BOOST_TEST(outcome_of(insert + "SELECT pg_sleep(20)", 30s, cut) == "unavailable 0");
    BOOST_TEST(at_rest);
}

// SEMANTICS 103: a disk that is full, or a server that stops, after the commit was written down
BOOST_AUTO_TEST_CASE(a_commit_that_ends_the_server_is_unknown_whatever_the_code)
{
    server.connection = services::through_relay();
    for (const std::string words : {"FATAL 53100", "PANIC 53100", "FATAL 57P01", "ERROR 53100"}) {
        std::string outcome;
        with_items([&](db::lane& reads, db::lane& writes) {
            services::ask("last-words " + words);
            services::ask("cut-after COMMIT");
            outcome = ending_of([&] { writes.run("INSERT INTO items (name) VALUES ('there')"); });
            services::ask("last-words");
            outcome += " " + std::to_string(reads.one<std::int64_t>("SELECT count(*) FROM items"));
        });
        BOOST_TEST(outcome == "outcome_unknown 1", words << ": " << outcome);
    }
    BOOST_TEST(at_rest);
}

// FAULTS F05: its slot is not lent again while the server may still be at work
BOOST_AUTO_TEST_CASE(a_connection_whose_commit_was_not_answered_is_counted_until_it_has_ended)
{
    server.connection = services::through_relay();
    server.commit_budget = 50ms;
    std::string ending;
    std::int64_t silent = 0;
    std::int64_t healed = 1;
    with_database([&](db::database& database) {
        auto& writes = database.lane("write");
        const auto open_connections = [&] { return database.pool_statistics().open; };
        writes.script("DROP TABLE IF EXISTS counted; CREATE TABLE counted (n INTEGER)");
        ending = ending_of([&] {
            writes.transaction([](db::transaction& tx) {
                tx.run("INSERT INTO counted VALUES (1)");
                services::ask("mode swallow");
            });
        });
        fiber::sleep_for(300ms); // for the pool to close it
        silent = open_connections();
        services::ask("mode forward");
        for (const auto until = fiber::after(20s); (healed = open_connections()) > 0 && fiber::now() < until;)
            fiber::sleep_for(5ms);
    });
    BOOST_TEST(ending == "outcome_unknown");
    BOOST_TEST(silent == 1);
    BOOST_TEST(healed == 0);
    BOOST_TEST(at_rest);
}

// A silent network, and a request that only reads: there is nothing to be known, and nothing to wait for.
BOOST_AUTO_TEST_CASE(the_end_of_a_read_is_not_awaited_longer_than_its_request)
{
    server.connection = services::through_relay();
    server.commit_budget = 20s;
    std::string ending;
    double took = 0;
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        lane.one<int>("SELECT 1");
        const auto began = fiber::now();
        ending = ending_of([&] {
            fiber::within(500ms, [&] {
                lane.read([](db::transaction& tx) {
                    tx.one<int>("SELECT 1");
                    services::ask("mode swallow");
                });
            });
        });
        took = milliseconds_since(began);
        services::ask("mode forward");
    });
    BOOST_TEST(ending == "deadline");
    BOOST_TEST(took < 5000);
    BOOST_TEST(at_rest);
}

// FAULTS F04: the connection is closed, which is a rollback, too
BOOST_AUTO_TEST_CASE(a_rollback_on_a_silent_network_is_not_awaited)
{
    server.connection = services::through_relay();
    std::string ending;
    double late = 0;
    with_database([&](db::database& database) {
        auto& lane = database.lane("write");
        const auto deadline = fiber::after(500ms);
        ending = ending_of([&] {
            const fiber::scope request{{.deadline = deadline}};
            lane.transaction([](db::transaction& tx) {
                tx.one<int>("SELECT 1");
                services::ask("mode swallow");
                fiber::sleep_for(20s);
            });
        });
        late = milliseconds_since(deadline);
        services::ask("mode forward");
    });
    BOOST_TEST_MESSAGE("late by " << late << " ms");
    BOOST_TEST(ending == "deadline");
    BOOST_TEST(late < 1200); // 150 of them are asked for
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_SUITE_END()
