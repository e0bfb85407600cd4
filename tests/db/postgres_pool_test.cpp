// The pool's life over PostgreSQL's connections: what they are told first, which errors end them, what keeps
// them.
#include "postgres_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace {

using strings = std::vector<std::string>;

// A statement that fails with this SQLSTATE, and changes nothing.
std::string raise(const std::string& code)
{
    return "DO $$ BEGIN RAISE EXCEPTION 'told to' USING ERRCODE = '" + code + "'; END $$";
}

struct postgres_pool_fixture : postgres_fixture
{
    postgres_pool_fixture() { pool.size = 1; }

    // How statements that fail with these codes end, and whether the connection was another one afterwards.
    strings fates(const strings& codes, bool writing)
    {
        strings seen;
        with_database([&](db::database& database) {
            auto& lane = database.lane(writing ? "write" : "read");
            for (const auto& code : codes) {
                const auto before = backend_of(lane);
                const auto fail = [&](db::transaction& tx) { tx.run(raise(code)); };
                const auto ending = ending_of([&] { writing ? lane.transaction(fail) : lane.read(fail); });
                seen.push_back(code + " " + ending + (backend_of(lane) == before ? ", kept" : ", closed"));
            }
        });
        return seen;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(postgres_pool, postgres_pool_fixture)

// SEMANTICS 81
BOOST_AUTO_TEST_CASE(the_code_of_an_error_decides_whether_its_connection_is_kept)
{
    const auto seen =
        fates({"08006", "57P01", "57P02", "57P03", "25006", "57014", "23505", "22012", "40001"}, true);
    const strings expected{
        "08006 unavailable, closed", "57P01 unavailable, closed", "57P02 unavailable, closed",
        "57P03 unavailable, closed", "25006 unavailable, closed", "57014 deadline, kept",
        "23505 constraint, kept",    "22012 value, kept",         "40001 conflict, kept"};
    BOOST_TEST(seen == expected, boost::test_tools::per_element());
}

// SEMANTICS 81: a read that tries to write is its author's error
BOOST_AUTO_TEST_CASE(a_read_that_is_refused_as_a_write_keeps_its_connection)
{
    BOOST_TEST(fates({"25006"}, false) == (strings{"25006 internal, kept"}),
               boost::test_tools::per_element());
}

// SEMANTICS 82
BOOST_AUTO_TEST_CASE(the_application_may_decide_it_instead)
{
    server.evict = [](const db::error& e) { return e.code() == "P0042"; };

    BOOST_TEST(fates({"P0042", "P0001", "57P03"}, true) ==
                   (strings{"P0042 internal, closed", "P0001 internal, kept", "57P03 unavailable, kept"}),
               boost::test_tools::per_element());
}

// SEMANTICS 86
BOOST_AUTO_TEST_CASE(a_connection_on_which_nothing_can_begin_is_closed)
{
    std::string ending;
    bool replaced = false;
    pool.check_after = 1h;
    with_database([&](db::database& database) {
        auto& lane = database.lane("write");
        const auto before = backend_of(lane);
        services::ask("sql SELECT pg_terminate_backend(" + std::to_string(before) + ", 10000)");
        ending = ending_of([&] { lane.run("SELECT 1"); });
        replaced = backend_of(lane) != before;
    });
    BOOST_TEST(ending == "unavailable");
    BOOST_TEST(replaced);
    BOOST_TEST(at_rest);
}

// SEMANTICS 72, FAULTS F03: idle connections that were used just now, and died in between
BOOST_AUTO_TEST_CASE(after_a_quick_restart_one_request_at_most_meets_a_dead_connection)
{
    int failed = 0;
    pool.size = 4;
    pool.check_after = 1h;
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        fiber::task_group::run([&](fiber::task_group& tasks) {
            for (int i = 0; i < 4; ++i)
                tasks.start([&] { lane.for_each<db::row>([](const db::row&) {}, "SELECT pg_sleep(0.3)"); });
        });
        services::ask("stop");
        services::ask("start");
        for (int i = 0; i < 20; ++i)
            failed += ending_of([&] { lane.one<int>("SELECT 1"); }) != "returned";
    });
    BOOST_TEST(failed <= 1);
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_CASE(a_new_connection_is_told_what_the_application_wants_and_again_after_a_reset)
{
    strings seen;
    server.init_sql = "SET work_mem = '7MB'; SET default_transaction_read_only = off; -- the end";
    with_database([&](db::database& database) {
        const auto setting = [&](const std::string& name) {
            return database.lane("read").one<std::string>("SELECT current_setting($1)", name);
        };
        seen.push_back(setting("work_mem"));
        database.lane("write").run("SET work_mem = '9MB'");
        seen.push_back(setting("work_mem"));
        seen.push_back(setting("default_transaction_read_only")); // heddle's own
    });
    BOOST_TEST(seen == (strings{"7MB", "7MB", "on"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_connection_that_cannot_be_told_is_not_used)
{
    failure seen;
    pool.acquire_budget = 200ms;
    server.init_sql = "SET no_such_setting = 1";
    with_database([&](db::database& database) {
        seen = failure_in([&] { database.lane("read").one<int>("SELECT 1"); });
    });
    BOOST_TEST(contains(seen.message, "no_such_setting"));
    BOOST_TEST(at_rest);
}

// SEMANTICS 74
BOOST_AUTO_TEST_CASE(a_connection_that_is_asked_often_enough_outlives_the_servers_idle_time)
{
    std::int64_t before = 0;
    std::int64_t after = 0;
    std::int64_t unasked = 0;
    server.init_sql = "SET idle_session_timeout = '3s'";
    pool.keepalive = 300ms;
    with_database([&](db::database& database) {
        before = backend_of(database.lane("read"));
        fiber::sleep_for(6s);
        after = backend_of(database.lane("read"));
    });
    pool.keepalive = 0s;
    with_database([&](db::database& database) {
        unasked = backend_of(database.lane("read"));
        fiber::sleep_for(6s);
        unasked -= backend_of(database.lane("read")); // replaced, and nobody saw it
    });
    BOOST_TEST(before == after);
    BOOST_TEST(unasked != 0);
    BOOST_TEST(at_rest);
}

// SEMANTICS 87
BOOST_AUTO_TEST_CASE(a_lease_that_is_held_for_too_long_is_taken_back_and_its_statement_stopped)
{
    std::string held;
    std::string next;
    std::int64_t sleeping = -1;
    double took = 0;
    pool.reclaim_after = 1s;
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] {
                const auto began = fiber::now();
                held =
                    ending_of([&] { lane.for_each<db::row>([](const db::row&) {}, "SELECT pg_sleep(60)"); });
                took = milliseconds_since(began);
            });
            tasks.start([&] {
                fiber::sleep_for(100ms);
                next = ending_of([&] {
                    sleeping =
                        lane.one<std::int64_t>("SELECT count(*) FROM pg_stat_activity WHERE query LIKE "
                                               "'SELECT pg_sleep(60)%' AND state = 'active'");
                });
            });
        });
    });
    BOOST_TEST((held == "cancelled" || held == "unavailable"), held);
    BOOST_TEST(took >= 990);
    BOOST_TEST(took < 20'000);
    BOOST_TEST(next == "returned");
    BOOST_TEST(sleeping == 0);
    BOOST_TEST(at_rest);
}

// SEMANTICS 59, 84
BOOST_AUTO_TEST_CASE(it_is_cleared_and_resized_while_it_runs)
{
    const std::string backends =
        "sql SELECT count(*) FROM pg_stat_activity WHERE application_name = 'heddle'";
    bool replaced = false;
    std::string left;
    pool.size = 4;
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        fiber::task_group::run([&](fiber::task_group& tasks) {
            for (int i = 0; i < 4; ++i)
                tasks.start([&] { lane.for_each<db::row>([](const db::row&) {}, "SELECT pg_sleep(0.3)"); });
        });
        database.resize(1);
        const auto until = fiber::after(20s); // each is closed as soon as the closer gets to it
        while ((left = services::ask(backends)) != "1" && fiber::now() < until)
            fiber::sleep_for(20ms);
        const auto before = backend_of(lane);
        database.clear();
        replaced = backend_of(lane) != before;
    });
    BOOST_TEST(replaced);
    BOOST_TEST(left == "1");
}

BOOST_AUTO_TEST_SUITE_END()
