// The deletion of expired keys on virtual time, over a real database.
#include "expired_keys.hpp"

#include "orders_fixture.hpp"

#include <heddle/base/log.hpp>
#include <heddle/testing/hold.hpp>

#define BOOST_TEST_MODULE expired_keys
#include <boost/test/unit_test.hpp>

#include <string_view>

namespace db = heddle::db;
namespace fiber = heddle::fiber;

using namespace std::chrono_literals;

namespace {

constexpr db::sql many_expired_keys{
    .sqlite = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) "
              "INSERT INTO idempotency_keys (key, scope, fingerprint, expires_at) "
              "SELECT 'old ' || i, x'00', x'00', 0 FROM n",
    .postgres =
        "INSERT INTO idempotency_keys (key, scope, fingerprint, expires_at) "
        "SELECT 'old ' || i, '\\x00', '\\x00', now() - INTERVAL '1 s' FROM generate_series(1, 1200) AS i"};

struct fixture : database_fixture
{
    int warnings = 0;
    heddle::log::capture capture{[this](heddle::log::level level, std::string_view) {
        warnings += level == heddle::log::level::warn ? 1 : 0;
    }};
    db::lane& writes = database.lane("write");
    app::ticker ticks;
    bool has_ended = false;

    fixture()
    {
        orders::create_tables(driver);
        writes.script(many_expired_keys);
        runtime.spawn([this] {
            app::delete_expired_keys(writes, ticks);
            has_ended = true;
        });
        runtime.run_ready();
    }
    ~fixture()
    {
        ticks.stop();
        runtime.run_ready();
    }

    void pass(fiber::duration time)
    {
        runtime.advance(time);
        runtime.run_ready();
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(expired_keys, fixture)

BOOST_AUTO_TEST_CASE(are_deleted_once_a_minute_a_few_at_a_time)
{
    pass(59s);
    BOOST_TEST(count("idempotency_keys") == 1200);
    pass(1s);
    BOOST_TEST(count("idempotency_keys") == 700);
    pass(1s);
    BOOST_TEST(count("idempotency_keys") == 0);
    BOOST_TEST(warnings == 0);
}

BOOST_AUTO_TEST_CASE(wait_where_requests_take_all_the_room)
{
    {
        const heddle::testing::hold busy(writes);
        pass(90s);
    }
    BOOST_TEST(count("idempotency_keys") == 1200);
    BOOST_TEST(warnings == 0);
    pass(60s);
    BOOST_TEST(count("idempotency_keys") == 0);
}

BOOST_AUTO_TEST_CASE(that_cannot_be_deleted_are_said_so_once)
{
    writes.script("ALTER TABLE idempotency_keys RENAME TO hidden");
    pass(1min);
    pass(1min);
    BOOST_TEST(warnings == 1);

    writes.script("ALTER TABLE hidden RENAME TO idempotency_keys");
    pass(1min);
    pass(1s);
    BOOST_TEST(count("idempotency_keys") == 0);
}

BOOST_AUTO_TEST_CASE(are_left_alone_at_once_when_the_server_ends)
{
    ticks.stop();
    runtime.run_ready();

    BOOST_TEST(has_ended);
    BOOST_TEST(count("idempotency_keys") == 1200);
}

BOOST_AUTO_TEST_SUITE_END()
