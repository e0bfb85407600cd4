// The wall clock is set while connections age, borrowers wait and locks are waited for: none of it is counted
// by that clock. The functions below stand before the C library's, for all that this program calls.
#include <heddle/base/log.hpp>
#include <heddle/db/database.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/fiber/pool.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/fiber/task_group.hpp>
#include <heddle/testing/temporary_directory.hpp>

#include "stranger.hpp"

#define BOOST_TEST_MODULE wall_clock
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

namespace db = heddle::db;
namespace fiber = heddle::fiber;
using namespace std::chrono_literals;

namespace {

std::atomic<long> moved = 0; // s; what has been added to the wall clock

} // namespace

extern "C" int clock_gettime(clockid_t which, timespec* time) noexcept
{
    const auto failed = ::syscall(SYS_clock_gettime, which, time);
    if (failed == 0 && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
        time->tv_sec += moved;
    return static_cast<int>(failed);
}

extern "C" int gettimeofday(timeval* time, void*) noexcept
{
    timespec now{};
    const int failed = clock_gettime(CLOCK_REALTIME, &now);
    *time = {now.tv_sec, now.tv_nsec / 1000};
    return failed;
}

extern "C" time_t time(time_t* copy) noexcept
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    if (copy)
        *copy = now.tv_sec;
    return now.tv_sec;
}

namespace {

// In seconds. The first is none: what is measured then is what is right.
const std::vector<long> jumps{0, 3600, -3600};

double milliseconds_since(fiber::time_point began)
{
    return std::chrono::duration<double, std::milli>(fiber::now() - began).count();
}

struct wall_clock_fixture
{
    std::mutex mutex; // guards `lines`
    std::vector<std::string> lines;
    heddle::log::capture capture{[this](heddle::log::level, std::string_view line) {
        const std::lock_guard guard(mutex);
        lines.emplace_back(line);
    }};

    ~wall_clock_fixture() { moved = 0; }

    // How often the log says so.
    std::size_t told(const std::string& what)
    {
        const std::lock_guard guard(mutex);
        std::size_t count = 0;
        for (const auto& line : lines)
            count += line.find(what) != std::string::npos;
        return count;
    }
};

void jump(long seconds)
{
    const auto before = std::chrono::system_clock::now();
    moved = seconds;
    const auto gone = std::chrono::system_clock::now() - before;
    if (gone < std::chrono::seconds(seconds) || gone > std::chrono::seconds(seconds) + 60s)
        throw std::logic_error("the wall clock has not moved");
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(wall_clock, wall_clock_fixture)

// SEMANTICS 76. What waits is never let go too early, and the case would not end if it were too late.
BOOST_DATA_TEST_CASE(a_pool_does_not_see_it_move, boost::unit_test::data::make(jumps), seconds)
{
    std::atomic<int> checks = 0;
    std::size_t told_early = 0;
    double waited = 0;
    bool refused = false;
    double kept = 0;
    double asked = 0;
    fiber::run({.workers = 2}, [&] {
        fiber::pool<int> pool({.size = 1,
                               .acquire_budget = 400ms,
                               .max_idle = 1500ms,
                               .max_lifetime = 1h,
                               .check_after = 10min,
                               .keepalive = 700ms,
                               .leak_after = 2s},
                              {.open = [] { return std::make_unique<int>(0); },
                               .check =
                                   [&](int&) {
                                       ++checks;
                                       return true;
                                   }});
        fiber::time_point returned;
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] { // keeps it until the log says so
                const auto lease = pool.acquire();
                fiber::sleep_for(100ms);
                jump(seconds);
                while (told("is held for long") == 0)
                    fiber::sleep_for(5ms);
                moved = 0;
                returned = fiber::now();
            });
            tasks.start([&] {
                fiber::sleep_for(10ms);
                const auto began = fiber::now();
                try {
                    pool.acquire();
                } catch (const heddle::overloaded&) {
                    refused = true;
                }
                waited = milliseconds_since(began);
                told_early = told("is held for long");
            });
        });
        jump(seconds);
        while (checks == 0)
            fiber::sleep_for(5ms);
        asked = milliseconds_since(returned);
        while (pool.statistics().closed == 0)
            fiber::sleep_for(5ms);
        kept = milliseconds_since(returned);
    });
    BOOST_TEST(refused);
    BOOST_TEST(waited >= 400);
    BOOST_TEST(told_early == 0U);
    BOOST_TEST(asked >= 700);
    BOOST_TEST(kept >= 1500);
    BOOST_TEST(told("is held for long") == 1U);
}

// SEMANTICS 76
BOOST_DATA_TEST_CASE(a_wait_for_a_lock_and_a_deadline_do_not_see_it_move, boost::unit_test::data::make(jumps),
                     seconds)
{
    const heddle::testing::temporary_directory directory;
    const auto path = directory.path("test.db");
    double locked = 0;
    double ended = 0;
    fiber::run({.workers = 2}, [&] {
        db::database database{{.driver = db::sqlite({.path = path, .lock_budget = 400ms}),
                               .lanes = {{.name = "write", .running = 4}}}};
        auto& lane = database.lane("write");
        lane.script("CREATE TABLE items (name TEXT)");
        stranger other{path};
        other.run("BEGIN IMMEDIATE");
        const auto took = [&](fiber::duration deadline) {
            const auto began = fiber::now();
            try {
                fiber::within(deadline, [&] { lane.run("INSERT INTO items VALUES ('a')"); });
            } catch (const heddle::error&) {
                return milliseconds_since(began);
            }
            return -1.0;
        };
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] {
                locked = took(1min);
                ended = took(200ms);
            });
            tasks.start([&] {
                fiber::sleep_for(100ms);
                jump(seconds);
            });
        });
        other.run("ROLLBACK");
        database.close(1s);
    });
    BOOST_TEST(locked >= 400);
    BOOST_TEST(ended >= 200);
}

BOOST_AUTO_TEST_SUITE_END()
