// The stages of an operation over PostgreSQL: each wait has a budget of its own, and none is longer than what
// is left of the request's time.
#include "postgres_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace {

// The shorter of the two limits, and the longer one, which is so long that only the other can have ended it.
constexpr fiber::duration brief = 1s;
constexpr fiber::duration ample = 60s;
constexpr double brief_ms = 1'000;
constexpr double ample_ms = 60'000;

struct setting
{
    db::postgres_options server;
    fiber::pool_options pool{.size = 2, .acquire_budget = ample, .connect_budget = ample};
    db::lane_options lane{.name = "a", .running = 4, .waiting = 4, .queue_wait = ample};
};

struct stage
{
    std::string name;
    std::function<void(setting&, fiber::duration)> give;
    // What is in the way from when it is there until the operation is over.
    std::function<void(db::lane&, std::atomic<bool>& there, const std::atomic<bool>& over)> in_the_way;
    std::function<void(db::lane&)> operation;
    std::string by_its_budget; // the ending
    std::string by_the_deadline;
};

void sleep_there(db::lane& lane, double seconds)
{
    lane.for_each<db::row>([](const db::row&) {}, "SELECT pg_sleep($1)", seconds);
}

// Keeps a permit, a connection and a row until it is over.
void hold(db::lane& lane, std::atomic<bool>& there, const std::atomic<bool>& over)
{
    lane.transaction([&](db::transaction& tx) {
        tx.run("UPDATE budgets SET n = n + 1");
        there = true;
        wait_for(over);
    });
}

void no_hold(db::lane&, std::atomic<bool>& there, const std::atomic<bool>&)
{
    there = true;
}

void add(db::lane& lane)
{
    lane.run("UPDATE budgets SET n = n + 1");
}

const std::vector<stage> stages{
    {"queue",
     [](setting& s, auto budget) {
         s.lane.running = 1;
         s.lane.queue_wait = budget;
     },
     hold, add, "overloaded", "overloaded"},
    {"pool",
     [](setting& s, auto budget) {
         s.pool.size = 1;
         s.pool.acquire_budget = budget;
     },
     hold, add, "overloaded", "overloaded"},
    {"statement", [](setting& s, auto budget) { s.server.statement_ceiling = budget; }, no_hold,
     [](db::lane& lane) { sleep_there(lane, 60); }, "deadline", "deadline"},
    {"lock", [](setting& s, auto budget) { s.server.lock_budget = budget; }, hold, add, "conflict",
     "deadline"},
};

struct seen
{
    std::string ending;
    double took = 0; // ms
};

// The operation, with something in its way since a moment.
seen run(const stage& stage, const setting& with, fiber::duration deadline)
{
    seen result;
    fiber::run({.workers = 2}, [&] {
        db::database database{{.driver = db::postgres(with.server), .pool = with.pool, .lanes = {with.lane}}};
        auto& lane = database.lane("a");
        lane.script("DROP TABLE IF EXISTS budgets; CREATE TABLE budgets AS SELECT 1 AS n");
        std::atomic<bool> there = false;
        std::atomic<bool> over = false;
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] { stage.in_the_way(lane, there, over); });
            tasks.start([&] {
                wait_for(there);
                const auto began = fiber::now();
                result.ending = ending_of([&] { fiber::within(deadline, [&] { stage.operation(lane); }); });
                result.took = milliseconds_since(began);
                over = true;
            });
        });
        database.close(1s);
    });
    return result;
}

void check(const std::string& name, const seen& seen, const std::string& ending)
{
    BOOST_TEST(seen.ending == ending, name << ": " << seen.ending);
    BOOST_TEST(seen.took >= brief_ms - 1, name << ": " << seen.took << " ms");
    BOOST_TEST(seen.took < ample_ms / 2, name << ": " << seen.took << " ms");
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(postgres_budgets, postgres_fixture)

// SEMANTICS 109, 107
BOOST_AUTO_TEST_CASE(each_stage_ends_by_its_own_budget_or_with_the_request_whichever_comes_first)
{
    for (const auto& stage : stages) {
        setting own;
        own.server.connection = services::postgres();
        auto late = own;
        stage.give(own, brief);
        stage.give(late, ample);

        check(stage.name + " by its own", run(stage, own, ample), stage.by_its_budget);
        check(stage.name + " by the deadline", run(stage, late, brief), stage.by_the_deadline);
    }
}

// SEMANTICS 109: the network, while a connection is opened. Its budget ends the attempt; the borrower waits
// for as long as it may.
BOOST_AUTO_TEST_CASE(an_attempt_to_connect_ends_by_its_own_budget_and_a_borrower_with_its_request)
{
    server.connection = services::through_relay();
    for (const auto budget : {brief, ample}) {
        seen borrower;
        std::uint64_t ended = 0;
        pool = {.size = 1, .acquire_budget = ample, .connect_budget = budget};
        with_database([&](db::database& database) {
            services::ask("mode swallow");
            const auto began = fiber::now();
            borrower.ending = ending_of(
                [&] { fiber::within(3 * brief, [&] { database.lane("read").one<int>("SELECT 1"); }); });
            borrower.took = milliseconds_since(began);
            ended = database.pool_statistics().failed_to_open;
            services::ask("mode forward");
        });
        BOOST_TEST((ended > 0) == (budget == brief), ended);
        check("connecting", borrower, budget == brief ? "unavailable" : "overloaded");
    }
}

// SEMANTICS 109: the network and the cleanup behind it. What the server does not answer any more is stopped
// at the deadline, and its end is awaited for `stop_budget`; a rollback has what is left of the request's
// time, but never less than 150 ms nor more than 2 s.
BOOST_AUTO_TEST_CASE(cleanup_has_its_own_budget_and_what_is_left_of_the_requests_time)
{
    server.connection = services::through_relay();
    server.stop_budget = brief;
    server.lost_after = 1s;
    seen stopped;
    seen short_rollback;
    seen long_rollback;
    const auto roll_back = [](db::lane& lane) {
        lane.transaction([](db::transaction& tx) {
            tx.run("SELECT 1");
            services::ask("mode swallow");
            throw std::runtime_error("told to");
        });
    };
    const auto measure = [&](db::lane& lane, fiber::duration deadline, const auto& operation) {
        seen result;
        lane.one<int>("SELECT 1"); // there is a connection, before the time runs
        const auto began = fiber::now();
        result.ending = ending_of([&] { fiber::within(deadline, [&] { operation(lane); }); });
        result.took = milliseconds_since(began);
        services::ask("mode forward");
        return result;
    };
    with_database([&](db::database& database) {
        auto& lane = database.lane("write");
        stopped = measure(lane, brief, [](db::lane& l) {
            l.transaction([](db::transaction& tx) {
                tx.run("SELECT 1");
                services::ask("mode swallow");
                tx.run("SELECT 2");
            });
        });
        short_rollback = measure(lane, brief, roll_back);
        long_rollback = measure(lane, ample, roll_back);
    });
    check("stop", stopped, "deadline");
    BOOST_TEST(stopped.took >= 2 * brief_ms - 1);
    BOOST_TEST(short_rollback.ending == "told to");
    BOOST_TEST(short_rollback.took >= 149);
    BOOST_TEST(long_rollback.ending == "told to");
    BOOST_TEST(long_rollback.took >= 1999);
    BOOST_TEST(long_rollback.took < ample_ms / 2);
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_SUITE_END()
