// A PostgreSQL that goes away and comes back, and a network that loses what it was given.
#define BOOST_TEST_MODULE postgres_faults

#include "postgres_fixture.hpp"
#include "postgres_load.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <map>

namespace {

using strings = std::vector<std::string>;

std::int64_t number(const std::string& text)
{
    return std::atoll(text.c_str());
}

std::string shown(const std::map<std::string, int>& counts)
{
    std::string text;
    for (const auto& [ending, count] : counts)
        text += ending + ": " + std::to_string(count) + " ";
    return text;
}

} // namespace

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
    server.commit_budget = 500ms;
    std::string ending;
    double took = 0;
    with_database([&](db::database& database) {
        auto& lane = database.lane("write");
        lane.script("DROP TABLE IF EXISTS swallowed; CREATE TABLE swallowed (n INTEGER)");
        ending = ending_of([&] {
            fiber::within(100ms, [&] {
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
    BOOST_TEST(took >= 490);
    BOOST_TEST(took < 700);
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
    const int down = repeats(2000, 5000); // ms
    std::map<std::string, int> while_down;
    std::map<std::string, int> afterwards;
    double back = -1;
    double recovered = -1;
    double slowest = 0;
    with_database([&](db::database& database) {
        load requests(database.lane("read"), 1s);
        double cut = 0;
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] { requests.run(20ms, std::chrono::milliseconds(1000 + down + 4000)); });
            tasks.start([&] {
                fiber::sleep_for(1s);
                cut = requests.now();
                services::ask("restart-after " + std::to_string(down));
                while (ending_of([] { services::ask("sql SELECT 1"); }) != "returned")
                    fiber::sleep_for(20ms);
                back = requests.now();
            });
        });
        while_down = requests.endings(cut + 100, cut + down - 600);
        recovered = requests.first_success(cut + 100);
        afterwards = requests.endings(recovered, 1e9);
        slowest = requests.slowest();
    });
    BOOST_TEST_MESSAGE("down: " << shown(while_down) << "after: " << shown(afterwards) << "recovered after "
                                << recovered - back << " ms, slowest " << slowest << " ms");
    BOOST_TEST(while_down["unavailable"] + while_down["overloaded"] > 10);
    BOOST_TEST(while_down.size() - while_down.count("unavailable") - while_down.count("overloaded") == 0U,
               shown(while_down));
    BOOST_TEST(recovered > 0);
    BOOST_TEST(recovered - back < 2000);
    BOOST_TEST(afterwards.size() == 1U, shown(afterwards));
    BOOST_TEST(slowest < 700);
    BOOST_TEST(at_rest);
}

// FAULTS F03
BOOST_AUTO_TEST_CASE(a_database_that_comes_late_is_found)
{
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
    BOOST_TEST(took < 2000);
}

namespace {

// FAULTS F04: the relay swallows at one moment, and heals.
struct swallowed
{
    std::map<std::string, int> meanwhile;
    std::map<std::string, int> afterwards;
    double slowest = 0;
    double recovered = -1; // ms after healing
    std::int64_t backends = 0;
};

swallowed swallow(postgres_fixture& fixture, const std::function<void(db::lane&)>& before)
{
    const auto lasts = std::chrono::milliseconds(repeats(3000, 20'000));
    swallowed result;
    fixture.server.connection = services::through_relay();
    fixture.with_database([&](db::database& database) {
        before(database.lane("read"));
        services::ask("mode swallow");
        load requests(database.lane("read"), 1s);
        double healed = 0;
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] { requests.run(20ms, lasts + 4s); });
            tasks.start([&] {
                fiber::sleep_for(lasts);
                services::ask("mode forward");
                healed = requests.now();
            });
        });
        const auto first = requests.first_success(0);
        result.recovered = first - healed;
        result.meanwhile = requests.endings(0, healed - 1200);
        result.afterwards = requests.endings(first, 1e9);
        result.slowest = requests.slowest();
        result.backends = number(
            services::ask("sql SELECT count(*) FROM pg_stat_activity WHERE application_name = 'heddle'"));
    });
    return result;
}

void check_swallowed(const swallowed& s)
{
    BOOST_TEST_MESSAGE("meanwhile: " << shown(s.meanwhile) << "after: " << shown(s.afterwards)
                                     << "recovered after " << s.recovered << " ms, slowest " << s.slowest
                                     << " ms");
    BOOST_TEST(s.slowest < 1200);
    BOOST_TEST(s.meanwhile.count("returned") == 0U, shown(s.meanwhile));
    BOOST_TEST(s.recovered < 2000);
    BOOST_TEST(s.afterwards.size() == 1U, shown(s.afterwards));
    BOOST_TEST(s.backends <= 4);
}

void warm(db::lane& lane)
{
    fiber::task_group::run([&](fiber::task_group& tasks) {
        for (int i = 0; i < 4; ++i)
            tasks.start([&] { lane.for_each<db::row>([](const db::row&) {}, "SELECT pg_sleep(0.2)"); });
    });
}

} // namespace

// FAULTS F04
BOOST_AUTO_TEST_CASE(packets_that_are_swallowed_while_connections_are_idle)
{
    const auto result = swallow(*this, [](db::lane& lane) {
        warm(lane);
        fiber::sleep_for(1100ms);
    });
    check_swallowed(result);
    BOOST_TEST(at_rest);
}

// FAULTS F04
BOOST_AUTO_TEST_CASE(packets_that_are_swallowed_while_queries_run)
{
    const auto result = swallow(*this, warm);
    check_swallowed(result);
    BOOST_TEST(at_rest);
}

// FAULTS F04
BOOST_AUTO_TEST_CASE(packets_that_are_swallowed_while_connections_are_opened)
{
    const auto result = swallow(*this, [](db::lane&) {});
    check_swallowed(result);
    BOOST_TEST(at_rest);
}

// FAULTS F05
BOOST_AUTO_TEST_CASE(connections_that_come_too_late_are_not_left_behind)
{
    const auto lasts = std::chrono::seconds(repeats(5, 20));
    std::int64_t most = 0;
    std::int64_t left = -1;
    server.connection = services::through_relay();
    services::ask("delay 2000");
    with_database([&](db::database& database) {
        load requests(database.lane("read"), 1s);
        std::atomic<bool> over = false;
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] {
                requests.run(50ms, lasts);
                over = true;
            });
            tasks.start([&] {
                while (!over) {
                    most =
                        std::max(most, number(services::ask("sql SELECT count(*) FROM pg_stat_activity WHERE "
                                                            "application_name = 'heddle'")));
                    fiber::sleep_for(50ms);
                }
            });
        });
        services::ask("delay 0");
    });
    fiber::run({.workers = 1}, [&] {
        fiber::sleep_for(2500ms);
        left = number(
            services::ask("sql SELECT count(*) FROM pg_stat_activity WHERE application_name = 'heddle'"));
    });
    BOOST_TEST(most <= 4);
    BOOST_TEST(left == 0);
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_SUITE_END()
