// Very many fibers that wait for a small pool: what they cost while they wait, and who is served first.
#include <heddle/fiber/condition_variable.hpp>
#include <heddle/fiber/mutex.hpp>
#include <heddle/fiber/pool.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/task_group.hpp>

#include "storm.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <memory>
#include <vector>

#include <time.h>
#include <unistd.h>

namespace fiber = heddle::fiber;
using heddle::testing::repeats;
using namespace std::chrono_literals;

namespace {

double cpu_seconds()
{
    timespec used{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

double resident_bytes()
{
    long all = 0;
    long resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

} // namespace

BOOST_AUTO_TEST_SUITE(pool_waiters)

// SEMANTICS 63. One worker, so that fibers come to the pool in the order of their numbers.
BOOST_AUTO_TEST_CASE(many_fibers_wait_for_a_few_connections_at_no_cost_and_in_order)
{
    const int count = repeats(5'000, 50'000);
    constexpr int size = 8;
    std::vector<int> served;
    served.reserve(static_cast<std::size_t>(count));
    double parked = 0;  // bytes for each fiber
    double waiting = 0; // the same fibers, now in the pool's queue
    double used = 0;    // of a core, while all of them wait
    std::int64_t queued = 0;
    double pause = 0;
    fiber::run({.workers = 1}, [&] {
        fiber::pool<int> pool({.size = size, .acquire_budget = 1h},
                              {.open = [] { return std::make_unique<int>(0); }});
        fiber::mutex mutex;
        fiber::condition_variable changed;
        int came = 0;
        bool may_come = false;
        bool may_go = false;
        const auto wait_for = [&](const bool& flag) {
            std::unique_lock guard(mutex);
            changed.wait(guard, [&] { return flag; });
        };
        const auto set = [&](bool& flag) {
            {
                const std::lock_guard guard(mutex);
                flag = true;
            }
            changed.notify_all();
        };
        fiber::task_group::run([&](fiber::task_group& tasks) {
            for (int i = 0; i < size; ++i)
                tasks.start([&] {
                    const auto mine = pool.acquire();
                    wait_for(may_go);
                });
            while (pool.statistics().active < size)
                fiber::sleep_for(1ms);

            const auto before = resident_bytes();
            for (int i = 0; i < count; ++i)
                tasks.start([&, i] {
                    ++came;
                    wait_for(may_come);
                    const auto mine = pool.acquire();
                    served.push_back(i);
                });
            while (came < count)
                fiber::sleep_for(1ms);
            parked = (resident_bytes() - before) / count;
            set(may_come);
            while (pool.statistics().waiting < count)
                fiber::sleep_for(1ms);
            waiting = (resident_bytes() - before) / count;
            queued = pool.statistics().waiting;

            const auto began = fiber::now();
            const auto cpu = cpu_seconds();
            fiber::sleep_for(1s);
            used = (cpu_seconds() - cpu) / std::chrono::duration<double>(fiber::now() - began).count();
            const auto start = fiber::now();
            set(may_go);
            while (pool.statistics().waiting > 0 || pool.statistics().active > 0)
                fiber::yield();
            pause = std::chrono::duration<double, std::micro>(fiber::now() - start).count() / count;
        });
    });
    BOOST_TEST_MESSAGE(count << " fibers: " << parked << " bytes each while parked, " << waiting
                             << " in the pool's queue, " << 100 * used << " % of a core for all; then "
                             << pause << " us for each");
    BOOST_TEST(queued == count);
    BOOST_TEST(used < 0.05);
    BOOST_TEST(served.size() == static_cast<std::size_t>(count));
    BOOST_TEST(std::is_sorted(served.begin(), served.end()));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    BOOST_TEST(waiting < parked + 512); // the page of its stack that a parked fiber has, and no other
#endif
}

BOOST_AUTO_TEST_SUITE_END()
