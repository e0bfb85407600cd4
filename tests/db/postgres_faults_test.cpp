// A PostgreSQL that goes away and comes back, and connections that are cut.
#define BOOST_TEST_MODULE postgres_faults

#include "postgres_fixture.hpp"
#include "postgres_load.hpp"

#include <boost/test/unit_test.hpp>

#include <map>

BOOST_FIXTURE_TEST_SUITE(postgres_faults, postgres_fixture)

// SEMANTICS 103
BOOST_AUTO_TEST_CASE(a_commit_whose_answer_is_cut_off_is_unknown)
{
    server.connection = services::through_relay();
    std::string ending;
    std::string written;
    std::uint64_t unknown = 0;
    with_database([&](db::database& database) {
        auto& lane = database.lane("write");
        lane.script("DROP TABLE IF EXISTS cut; CREATE TABLE cut (n INTEGER)");
        services::ask("cut-after COMMIT");
        ending = ending_of([&] { lane.run("INSERT INTO cut VALUES (1)"); });
        unknown = lane.statistics().unknown;
        written = std::to_string(lane.transaction(
            [](db::transaction& tx) { return tx.one<std::int64_t>("SELECT count(*) FROM cut"); }));
    });
    BOOST_TEST(ending == "outcome_unknown");
    BOOST_TEST(unknown == 1U);
    BOOST_TEST(written == "1"); // this time it was
    BOOST_TEST(at_rest);
}

// SEMANTICS 103
BOOST_AUTO_TEST_CASE(a_commit_that_is_swallowed_is_unknown_after_its_budget)
{
    server.connection = services::through_relay();
    server.commit_budget = 3s;
    std::string ending;
    double took = 0;
    with_database([&](db::database& database) {
        auto& lane = database.lane("write");
        lane.script("DROP TABLE IF EXISTS swallowed; CREATE TABLE swallowed (n INTEGER)");
        ending = ending_of([&] {
            fiber::within(2s, [&] { // which is over before the budget is
                lane.transaction([&](db::transaction& tx) {
                    tx.run("INSERT INTO swallowed VALUES (1)");
                    services::ask("mode swallow");
                    took = milliseconds_since(fiber::time_point{});
                });
            });
        });
        took = milliseconds_since(fiber::time_point{}) - took;
        services::ask("mode forward");
    });
    BOOST_TEST(ending == "outcome_unknown");
    BOOST_TEST(took >= 2900);
    BOOST_TEST(took < 9000); // the network's own time would be 10 s
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_CASE(a_connection_that_is_cut_in_the_middle_has_done_nothing_and_is_replaced)
{
    server.connection = services::through_relay();
    pool.size = 1;
    std::string reading;
    std::string writing;
    std::int64_t left = -1;
    with_items([&](db::lane& reads, db::lane& writes) {
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] {
                reading =
                    ending_of([&] { reads.for_each<db::row>([](const db::row&) {}, "SELECT pg_sleep(5)"); });
            });
            tasks.start([&] {
                fiber::sleep_for(100ms);
                services::ask("cut");
            });
        });
        writing = ending_of([&] {
            writes.transaction([](db::transaction& tx) {
                tx.run("INSERT INTO items (name) VALUES ('lost')");
                services::ask("cut");
                tx.run("INSERT INTO items (name) VALUES ('lost, too')");
            });
        });
        left = reads.one<std::int64_t>("SELECT count(*) FROM items");
    });
    BOOST_TEST(reading == "unavailable");
    BOOST_TEST(writing == "unavailable");
    BOOST_TEST(left == 0);
    BOOST_TEST(at_rest);
}

// FAULTS F03
BOOST_AUTO_TEST_CASE(a_restarted_database_is_found_again)
{
    pool = short_budgets;
    const int down = repeats(2000, 5000); // ms
    std::map<std::string, int> while_down;
    std::map<std::string, int> afterwards;
    double back = -1;
    double recovered = -1;
    double slowest = 0;
    double allowed_wait = 0;
    double allowed_recovery = 0;
    bool held_up = false;
    with_database([&](db::database& database) {
        load requests(database.lane("read"), 1s);
        double stopped = 0;
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] { requests.run(20ms, std::chrono::milliseconds(1000 + down + 4000)); });
            tasks.start([&] {
                fiber::sleep_for(1s);
                services::ask("restart-after " + std::to_string(down));
                stopped = requests.now(); // and stays so for `down`, from a moment before this
                while (ending_of([] { services::ask("sql SELECT 1"); }) != "returned")
                    fiber::sleep_for(20ms);
                back = requests.now();
            });
        });
        while_down = requests.endings(stopped, stopped + down - 100);
        recovered = requests.first_success(stopped);
        afterwards = requests.endings(recovered, 1e9);
        slowest = requests.slowest();
        allowed_wait = requests.allowed(600); // A and 100 ms
        allowed_recovery = requests.allowed(2000);
        held_up = requests.was_held_up();
    });
    BOOST_TEST_MESSAGE("down: " << shown(while_down) << "after: " << shown(afterwards) << "recovered after "
                                << recovered - back << " ms, slowest " << slowest << " ms");
    BOOST_TEST(while_down["unavailable"] + while_down["overloaded"] > 10);
    BOOST_TEST(while_down.size() - while_down.count("unavailable") - while_down.count("overloaded") == 0U,
               shown(while_down));
    BOOST_TEST(recovered > 0);
    BOOST_TEST(recovered - back < allowed_recovery);
    BOOST_TEST((afterwards.size() == 1U || held_up), shown(afterwards));
    BOOST_TEST(slowest < allowed_wait);
    BOOST_TEST(at_rest);
}

// FAULTS F03
BOOST_AUTO_TEST_CASE(a_database_that_comes_late_is_found)
{
    pool = short_budgets;
    services::ask("stop");
    std::string before;
    std::string after;
    double took = 0;
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        before = ending_of([&] { lane.one<int>("SELECT 1"); });
        services::ask("start");
        const auto began = fiber::now();
        while ((after = ending_of([&] { lane.one<int>("SELECT 1"); })) != "returned" &&
               fiber::now() - began < 5s)
            ;
        took = milliseconds_since(began);
    });
    BOOST_TEST(before == "unavailable");
    BOOST_TEST(after == "returned");
    BOOST_TEST(took < 4500); // attempts are a second apart at most
}

BOOST_AUTO_TEST_SUITE_END()
