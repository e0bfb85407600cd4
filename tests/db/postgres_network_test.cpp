// A network that swallows what it is given, and one that is slow to connect.
#include "postgres_fixture.hpp"
#include "postgres_load.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <map>

namespace {

std::int64_t number(const std::string& text)
{
    return std::atoll(text.c_str());
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(postgres_network, postgres_fixture)

namespace {

// FAULTS F04: the relay swallows at one moment, and heals.
struct swallowed
{
    std::map<std::string, int> meanwhile;
    std::map<std::string, int> afterwards;
    double slowest = 0;
    bool has_recovered = false;
    double recovered = 0; // ms after healing
    std::int64_t backends = 0;
    double allowed_wait = 0;
    double allowed_recovery = 0;
    bool held_up = false;
};

swallowed swallow(postgres_fixture& fixture, const std::function<void(db::lane&)>& before)
{
    const auto lasts = std::chrono::milliseconds(repeats(3000, 20'000));
    swallowed result;
    fixture.pool = short_budgets;
    fixture.server.connection = services::through_relay();
    fixture.with_database([&](db::database& database) {
        before(database.lane("read"));
        services::ask("mode swallow");
        load requests(database.lane("read"), 1s);
        double healing = 0; // a request may succeed before the answer to this is here
        double healed = 0;
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] { requests.run(20ms, lasts + 4s); });
            tasks.start([&] {
                fiber::sleep_for(lasts);
                healing = requests.now();
                services::ask("mode forward");
                healed = requests.now();
            });
        });
        const auto first = requests.first_success(0);
        result.has_recovered = first >= 0;
        result.recovered = first - healed;
        result.meanwhile = requests.endings(0, healing);
        result.afterwards = requests.endings(first, 1e9);
        result.slowest = requests.slowest();
        result.allowed_wait = requests.allowed(1200); // D and 200 ms
        result.allowed_recovery = requests.allowed(2000);
        result.held_up = requests.was_held_up();
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
    BOOST_TEST(s.slowest < s.allowed_wait);
    BOOST_TEST(s.meanwhile.count("returned") == 0U, shown(s.meanwhile));
    BOOST_TEST(s.has_recovered);
    BOOST_TEST(s.recovered < s.allowed_recovery);
    BOOST_TEST((s.afterwards.size() == 1U || s.held_up), shown(s.afterwards));
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

namespace {

struct silence
{
    std::string ending;
    double permit_back = 0;       // ms after the operation's begin
    std::int64_t in_flight = -1;  // right then
    fiber::pool_statistics there; // right then
    std::string next;             // how another operation ended meanwhile
    double place_back = 0;        // ms after the operation's begin
};

// A statement whose network goes silent; `heal` is called when it has ended, and others want the place.
silence fall_silent(postgres_fixture& fixture, const std::function<void()>& heal)
{
    silence seen;
    fixture.server.connection = services::through_relay();
    fixture.pool = {.size = 1, .acquire_budget = 100ms, .connect_budget = 30s};
    fixture.with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        backend_of(lane);
        const auto began = fiber::now();
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] {
                seen.ending = ending_of([&] {
                    fiber::within(
                        500ms, [&] { lane.for_each<db::row>([](const db::row&) {}, "SELECT pg_sleep(60)"); });
                });
            });
            tasks.start([&] {
                fiber::sleep_for(200ms);
                services::ask("mode swallow");
            });
        });
        seen.permit_back = milliseconds_since(began);
        seen.in_flight = lane.statistics().gate.in_flight;
        seen.there = database.pool_statistics();
        seen.next = ending_of([&] { lane.one<int>("SELECT 1"); });
        heal();
        while (database.pool_statistics().closing > 0)
            fiber::sleep_for(5ms);
        seen.place_back = milliseconds_since(began);
        services::ask("mode forward");
    });
    return seen;
}

void check_silence(const silence& seen)
{
    BOOST_TEST(seen.ending == "deadline");
    BOOST_TEST(seen.in_flight == 0);
    BOOST_TEST(seen.there.active == 0);
    BOOST_TEST(seen.there.closing == 1); // the backend is at work, for all that is known
    BOOST_TEST(seen.there.open == 1);
    BOOST_TEST(seen.next == "overloaded");
}

} // namespace

// The permit follows the fiber, the place in the pool follows the backend: until nothing can be known any
// more.
BOOST_AUTO_TEST_CASE(a_place_is_lost_with_its_backend_until_its_time_is_over)
{
    server.lost_after = 3s;
    const auto seen = fall_silent(*this, [] {});
    check_silence(seen);
    BOOST_TEST(seen.place_back - seen.permit_back >= 1000); // 3 s but for what the machine held up
    BOOST_TEST(seen.place_back >= 3000);
    BOOST_TEST(at_rest);
}

// And not longer than the backend is there: a cancel that comes through ends it.
BOOST_AUTO_TEST_CASE(a_lost_place_is_back_as_soon_as_the_backend_is_seen_to_have_ended)
{
    server.lost_after = 10min;
    std::string running;
    const auto sleepers = "sql SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE "
                          "'SELECT pg_sleep(60)%'";
    const auto seen = fall_silent(*this, [&] {
        running = services::ask(sleepers);
        services::ask("mode forward");
    });
    check_silence(seen);
    BOOST_TEST(running == "1");
    BOOST_TEST(seen.place_back < 60'000); // long before `lost_after`
    BOOST_TEST(services::ask(sleepers) == "0");
    BOOST_TEST(at_rest);
}

// FAULTS F05
BOOST_AUTO_TEST_CASE(connections_that_come_too_late_are_not_left_behind)
{
    const auto lasts = std::chrono::seconds(repeats(5, 20));
    std::int64_t most = 0;
    std::int64_t left = -1;
    pool = short_budgets;
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
        fiber::sleep_for(2500ms); // the relay's delay, and more
        const auto until = fiber::after(20s);
        do
            left = number(
                services::ask("sql SELECT count(*) FROM pg_stat_activity WHERE application_name = 'heddle'"));
        while (left > 0 && fiber::now() < until);
    });
    BOOST_TEST(most <= 4);
    BOOST_TEST(left == 0);
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_SUITE_END()
