// The stages of an operation over SQLite: each wait has a budget of its own, and none is longer than what is
// left of the request's time.
#include "database_fixture.hpp"
#include "stranger.hpp"

#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>

#define BOOST_TEST_MODULE budgets
#include <boost/test/unit_test.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

// Something in the way of an operation, and out of it with its end.
using obstacle = std::shared_ptr<void>;

struct stage
{
    std::string name;
    std::function<void(db::database_options&, fiber::duration)> give;
    std::function<obstacle(database_fixture&)> stand_in_the_way;
    std::string by_its_budget; // the ending
    std::string by_the_deadline;
};

// A transaction that keeps its permit, its connection and the turn to write.
obstacle busy_writer(database_fixture& f, const char* lane)
{
    f.runtime.spawn([&f, lane] {
        ending_of([&] { f.database.lane(lane).transaction([](db::transaction&) { fiber::sleep_for(8s); }); });
    });
    f.runtime.run_ready();
    return nullptr;
}

obstacle busy_file(database_fixture& f)
{
    auto other = std::make_shared<stranger>(f.directory.path("test.db"));
    other->run("BEGIN IMMEDIATE");
    return other;
}

obstacle no_connection(database_fixture& f)
{
    f.database.suspend();
    return {&f, [](void* fixture) { static_cast<database_fixture*>(fixture)->database.resume(); }};
}

const std::vector<stage> stages{
    {"queue",
     [](auto& options, auto budget) {
         options.lanes[1].running = 1;
         options.lanes[1].queue_wait = budget;
     },
     [](auto& f) { return busy_writer(f, "write"); }, "timed_out", "timed_out"},
    {"pool", [](auto& options, auto budget) { options.pool.acquire_budget = budget; }, no_connection, "pool",
     "pool"},
    {"turn to write",
     [](auto& options, auto budget) {
         options.driver = db::sqlite({.path = std::string(options.driver->name()), .lock_budget = budget});
     },
     [](auto& f) { return busy_writer(f, "report"); }, "unavailable", "timed_out"},
    {"another process's lock",
     [](auto& options, auto budget) {
         options.driver = db::sqlite({.path = std::string(options.driver->name()), .lock_budget = budget});
     },
     busy_file, "unavailable", "timed_out"},
};

// How a write ended that had `deadline`, and after how many milliseconds.
std::string written(database_fixture& f, fiber::duration deadline, std::int64_t& took)
{
    std::string ending;
    fiber::time_point ended;
    const auto began = fiber::now();
    f.start(ending, [&] {
        const auto said = ending_of([&] { fiber::within(deadline, [&] { f.add("tea"); }); });
        ended = fiber::now();
        if (said != "returned")
            throw std::runtime_error(said);
    });
    f.runtime.advance(10s);
    took = (ended - began) / 1ms;
    return ending;
}

} // namespace

BOOST_AUTO_TEST_SUITE(budgets)

// SEMANTICS 109
BOOST_AUTO_TEST_CASE(each_stage_ends_by_its_own_budget_or_with_the_request_whichever_comes_first)
{
    for (const auto& stage : stages)
        for (const bool own : {true, false}) {
            database_fixture fixture([&](db::database_options& options) {
                for (auto& lane : options.lanes)
                    lane.queue_wait = 1min;
                options.pool.acquire_budget = 1min;
                stage.give(options, own ? 300ms : 5s);
            });
            auto in_the_way = stage.stand_in_the_way(fixture);
            std::int64_t took = 0;

            const auto ending = written(fixture, own ? 5s : 300ms, took);

            BOOST_TEST(ending == (own ? stage.by_its_budget : stage.by_the_deadline),
                       stage.name << ": " << ending);
            BOOST_TEST(took >= 300, stage.name << ": " << took);
            BOOST_TEST(took <= 310, stage.name << ": " << took); // a lock is asked for every 10 ms
        }
}

BOOST_AUTO_TEST_SUITE_END()

// SEMANTICS 109: a statement computes, so that its time is the machine's
BOOST_AUTO_TEST_CASE(a_statement_ends_by_its_own_ceiling_or_with_the_request_whichever_comes_first)
{
    const testing::temporary_directory directory;
    for (const bool own : {true, false}) {
        std::string ending;
        double took = 0;
        fiber::run({.workers = 2}, [&] {
            db::database database{{.driver = db::sqlite({.path = directory.path("test.db"),
                                                         .statement_ceiling = own ? 200ms : 1h}),
                                   .lanes = {{.name = "read"}}}};
            const auto began = fiber::now();
            ending = ending_of([&] {
                fiber::within(own ? 1h : 200ms, [&] {
                    database.lane("read").one<std::int64_t>("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL "
                                                            "SELECT i + 1 FROM n) SELECT sum(i) FROM n");
                });
            });
            took = std::chrono::duration<double, std::milli>(fiber::now() - began).count();
            database.close(1s);
        });
        BOOST_TEST(ending == "deadline");
        BOOST_TEST(took >= 200); // and it ends at all
    }
}
