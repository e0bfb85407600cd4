// The prober on virtual time, over a real database.
#include "prober.hpp"

#include <heddle/testing/hold.hpp>
#include <heddle/testing/runtime.hpp>
#include <heddle/testing/temporary_directory.hpp>

#include "empty_database.hpp"

#define BOOST_TEST_MODULE prober
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <memory>

namespace db = heddle::db;
namespace fiber = heddle::fiber;
namespace testing = heddle::testing;

using namespace std::chrono_literals;

namespace {

struct fixture
{
    testing::runtime runtime;
    testing::temporary_directory directory;
    std::shared_ptr<db::driver> driver = empty_database(directory);
    db::database database{
        {.driver = driver, .pool = {.size = 1}, .lanes = {{.name = "read", .running = 1, .waiting = 0}}}};
    app::prober prober{{.driver = driver, .question = "SELECT count(*) FROM orders"}};
    app::ticker ticks;
    bool has_ended = false;

    fixture()
    {
        script("CREATE TABLE orders (id INTEGER PRIMARY KEY)");
        runtime.spawn([this] {
            prober.run(ticks);
            has_ended = true;
        });
        runtime.run_ready();
    }
    ~fixture()
    {
        ticks.stop();
        runtime.run_ready();
    }

    void script(const char* text) { database.lane("read").script(text); }
    void pass(fiber::duration time)
    {
        runtime.advance(time);
        runtime.run_ready();
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(the_prober, fixture)

BOOST_AUTO_TEST_CASE(is_ready_while_the_database_answers)
{
    BOOST_TEST(prober.is_ready());
    pass(10s);
    BOOST_TEST(prober.is_ready());
}

BOOST_AUTO_TEST_CASE(is_not_ready_while_it_does_not)
{
    script("DROP TABLE orders");
    pass(1s);
    BOOST_TEST(!prober.is_ready());

    script("CREATE TABLE orders (id INTEGER PRIMARY KEY)");
    pass(1s);
    BOOST_TEST(prober.is_ready());
}

BOOST_AUTO_TEST_CASE(asks_once_in_an_interval)
{
    script("DROP TABLE orders");
    pass(900ms);

    BOOST_TEST(prober.is_ready());
    pass(100ms);
    BOOST_TEST(!prober.is_ready());
}

BOOST_AUTO_TEST_CASE(is_ready_while_everything_that_requests_may_use_is_taken)
{
    const testing::hold busy(database.lane("read"));

    pass(10s);

    BOOST_TEST(prober.is_ready());
}

BOOST_AUTO_TEST_CASE(ends_at_once_when_it_is_stopped)
{
    ticks.stop();
    runtime.run_ready();

    BOOST_TEST(has_ended);
}

BOOST_AUTO_TEST_SUITE_END()
