// What /metrics shows of the lanes: what their operations waited for, and how they ended.
#include "families.hpp"

#include <heddle/base/error.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/testing/hold.hpp>
#include <heddle/testing/runtime.hpp>
#include <heddle/testing/temporary_directory.hpp>

#define BOOST_TEST_MODULE families
#include <boost/test/unit_test.hpp>

#include <string>

namespace db = heddle::db;
namespace testing = heddle::testing;

using namespace std::chrono_literals;

namespace {

struct families_fixture
{
    testing::runtime runtime;
    testing::temporary_directory directory;
    db::database database{{
        .driver = db::sqlite({.path = directory.path("test.db")}),
        .pool = {.size = 1, .acquire_budget = 20ms},
        .lanes = {{.name = "read", .running = 2, .waiting = 1, .queue_wait = 10ms}, {.name = "write"}},
    }};
    db::lane& reads = database.lane("read");
    heddle::metrics_page page;

    families_fixture() { app::add_families(page, database); }

    // Starts a read that takes so long once it has a connection.
    void start(heddle::fiber::duration time)
    {
        runtime.spawn([this, time] {
            try {
                reads.read([time](db::transaction& tx) {
                    tx.one<int>("SELECT 42");
                    heddle::fiber::sleep_for(time);
                });
            } catch (const heddle::overloaded&) { // it is counted
            }
        });
        runtime.run_ready();
    }

    bool shows(const std::string& line) const { return page.text().find(line + "\n") != std::string::npos; }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(the_metrics_of_a_lane, families_fixture)

// SEMANTICS 111
BOOST_AUTO_TEST_CASE(tell_full_from_timed_out_from_no_connection)
{
    start(30ms); // runs
    start(1ms);  // waits for the only connection, in vain
    start(1ms);  // waits for its turn, in vain
    start(1ms);  // there is no place for it

    runtime.advance(50ms);

    BOOST_TEST(shows(R"(heddle_lane_operations_total{lane="read",outcome="committed"} 1)"), page.text());
    BOOST_TEST(shows(R"(heddle_lane_operations_total{lane="read",outcome="pool"} 1)"));
    BOOST_TEST(shows(R"(heddle_lane_operations_total{lane="read",outcome="refused"} 2)"));
    BOOST_TEST(shows(R"(heddle_lane_refused_total{lane="read",why="timed_out"} 1)"));
    BOOST_TEST(shows(R"(heddle_lane_refused_total{lane="read",why="full"} 1)"));
    BOOST_TEST(shows(R"(heddle_lane_refused_total{lane="write",why="full"} 0)"));
    BOOST_TEST(shows("heddle_pool_timed_out_total 1"));
}

// SEMANTICS 111
BOOST_AUTO_TEST_CASE(have_a_histogram_for_each_thing_that_takes_time)
{
    start(30ms);
    start(1ms); // waits 20 ms for the connection
    runtime.advance(50ms);

    BOOST_TEST(shows(R"(heddle_lane_gate_wait_seconds_count{lane="read"} 2)"), page.text());
    BOOST_TEST(shows(R"(heddle_lane_pool_wait_seconds_count{lane="read"} 2)"));
    BOOST_TEST(shows(R"(heddle_lane_pool_wait_seconds_sum{lane="read"} 0.02)"));
    BOOST_TEST(shows(R"(heddle_lane_hold_seconds_count{lane="read"} 1)"));
    BOOST_TEST(shows(R"(heddle_lane_hold_seconds_sum{lane="read"} 0.03)"));
    BOOST_TEST(shows(R"(heddle_lane_statement_seconds_count{lane="read"} 1)"));
    BOOST_TEST(shows(R"(heddle_lane_lock_wait_seconds_count{lane="read"} 1)"));
    BOOST_TEST(shows(R"(heddle_lane_hold_seconds_count{lane="write"} 0)"));
    for (const char* stage : {"gate_wait", "pool_wait", "hold", "statement", "lock_wait"})
        BOOST_TEST(shows("# TYPE heddle_lane_" + std::string(stage) + "_seconds histogram"));
}

BOOST_AUTO_TEST_CASE(show_what_is_going_on_now)
{
    start(10ms);
    start(10ms);
    start(10ms);

    BOOST_TEST(shows(R"(heddle_lane_running{lane="read"} 2)"), page.text());
    BOOST_TEST(shows(R"(heddle_lane_queued{lane="read"} 1)"));
    BOOST_TEST(shows("heddle_pool_active 1"));
    BOOST_TEST(shows("heddle_pool_waiting 1"));
    runtime.advance(50ms);
    BOOST_TEST(shows(R"(heddle_lane_running{lane="read"} 0)"));
}

BOOST_AUTO_TEST_SUITE_END()
