// A database's pool at run time, as its lanes see it: leases that are taken back, pauses, new connections for
// old.
#include "database_fixture.hpp"

#include <heddle/base/log.hpp>
#include <heddle/fiber/scope.hpp>

#define BOOST_TEST_MODULE pool_life
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace {

struct pool_life_fixture : database_fixture
{
    std::vector<std::string> lines; // of the log
    heddle::log::capture capture{
        [this](heddle::log::level, std::string_view line) { lines.emplace_back(line); }};
    std::string first;
    std::string second;

    pool_life_fixture()
        : database_fixture([](db::database_options& options) {
              options.pool.size = 1;
              options.pool.leak_after = 5s;
              options.pool.reclaim_after = 20s;
          })
    {
    }

    void start_read(std::string& ending, fiber::duration time)
    {
        start(ending, [this, time] {
            const fiber::scope request({.request_id = "r-4", .route = "GET /report"});
            reads.read([time](db::transaction& tx) {
                tx.one<int>(std::string("SELECT 17 -- ") + std::string(500, 'x')); // which is gone by now
                fiber::sleep_for(time);
            });
        });
        runtime.run_ready();
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(pool_life, pool_life_fixture)

// SEMANTICS 87
BOOST_AUTO_TEST_CASE(a_body_that_keeps_its_connection_for_too_long_is_named_and_cancelled)
{
    start_read(first, 1h);

    runtime.advance(5s);
    BOOST_TEST(lines.size() == 1U);
    BOOST_TEST(contains(lines.front(), "GET /report"));
    BOOST_TEST(contains(lines.front(), "r-4"));
    BOOST_TEST(contains(lines.front(), "SELECT 17 -- " + std::string(187, 'x')));
    BOOST_TEST(!contains(lines.front(), std::string(188, 'x')));
    BOOST_TEST(first.empty());
    runtime.advance(15s);

    BOOST_TEST(first == "cancelled");
    BOOST_TEST(count() == 0); // the place is free
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 87
BOOST_AUTO_TEST_CASE(a_writer_that_is_cancelled_for_it_has_written_nothing)
{
    start(first, [this] {
        writes.transaction([](db::transaction& tx) {
            tx.run("INSERT INTO items (name) VALUES ('lost')");
            fiber::sleep_for(1h);
        });
    });

    runtime.advance(21s);

    BOOST_TEST(first == "cancelled");
    BOOST_TEST(count() == 0);
    add("next");
    BOOST_TEST(count() == 1);
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 92
BOOST_AUTO_TEST_CASE(operations_wait_while_the_database_is_suspended_and_those_begun_go_on)
{
    start_read(first, 100ms);

    database.suspend();
    start(second, [this] { add("later"); });
    runtime.advance(100ms);
    BOOST_TEST(first == "returned");
    BOOST_TEST(second.empty());
    database.resume();
    runtime.run_ready();

    BOOST_TEST(second == "returned");
    database.suspend();
    const auto refused = ending_of([&] { count(); });
    BOOST_TEST(refused == "pool"); // by the acquire budget
    database.resume();
}

// SEMANTICS 84
BOOST_AUTO_TEST_CASE(all_connections_are_replaced_when_it_is_cleared)
{
    BOOST_TEST(count() == 0);
    const auto before = database.pool_statistics().opened;

    database.clear();
    BOOST_TEST(count() == 0);
    add("a");

    BOOST_TEST(database.pool_statistics().opened == before + 1);
    BOOST_TEST(database.pool_statistics().open == 1);
}

// SEMANTICS 59
BOOST_AUTO_TEST_CASE(a_larger_pool_lets_those_in_that_wait)
{
    start_read(first, 100ms);
    start_read(second, 100ms);
    runtime.advance(99ms);
    BOOST_TEST(database.pool_statistics().waiting == 1);

    database.resize(2);
    runtime.run_ready();

    BOOST_TEST(database.pool_statistics().active == 2);
    runtime.advance(100ms);
    BOOST_TEST(second == "returned");
    BOOST_CHECK_THROW(database.resize(0), heddle::config_error);
}

BOOST_AUTO_TEST_SUITE_END()
