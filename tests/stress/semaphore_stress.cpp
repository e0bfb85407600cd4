// The semaphore, the mutex and the condition variable under real threads: what virtual time cannot show.
#include <heddle/base/error.hpp>
#include <heddle/fiber/all.hpp>
#include <heddle/fiber/condition_variable.hpp>
#include <heddle/fiber/mutex.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/fiber/semaphore.hpp>
#include <heddle/fiber/task_group.hpp>

#include "storm.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <deque>
#include <mutex>

namespace fiber = heddle::fiber;
using fiber::semaphore;
using fiber::task_group;
using heddle::testing::repeats;
using heddle::testing::run_many;
using heddle::testing::weather;
using namespace std::chrono_literals;

namespace {

constexpr fiber::runtime_options four_workers{.workers = 4};

} // namespace

BOOST_AUTO_TEST_SUITE(semaphore_storm)

// SEMANTICS 8
BOOST_AUTO_TEST_CASE(lets_a_waiter_go_on_elsewhere_while_the_releaser_computes)
{
    fiber::duration late = 0ms;
    fiber::run({.workers = 2}, [&] {
        semaphore one(1);
        auto held = one.acquire();
        std::atomic<std::int64_t> released_at = 0;
        fiber::all(
            [&] {
                const auto mine = one.acquire();
                late = fiber::now().time_since_epoch() - fiber::duration(released_at.load());
            },
            [&] {
                while (one.waiting() == 0)
                    fiber::yield();
                released_at = fiber::now().time_since_epoch().count();
                held.release();
                for (const auto end = fiber::now() + 300ms; fiber::now() < end;) {
                }
            });
    });
    BOOST_TEST(late / 1ms < 100);
}

// SEMANTICS 13
BOOST_AUTO_TEST_CASE(has_one_outcome_when_a_cancel_races_a_grant)
{
    std::atomic<int> granted = 0;
    std::atomic<int> cancelled = 0;
    std::atomic<int> lost = 0;
    const int rounds = repeats(3'000, 50'000);
    const auto round = [&](int number) {
        semaphore one(1);
        auto held = one.acquire();
        std::atomic<fiber::scope*> target = nullptr;
        std::atomic<bool> cancel_done = false;
        const auto until_known = [&] {
            while (!target)
                fiber::yield();
            for (int i = number % 7; i > 0; --i)
                fiber::yield();
        };
        fiber::all(
            [&] {
                fiber::scope mine({});
                target = &mine;
                try {
                    const auto permit = one.acquire();
                    ++granted;
                } catch (const heddle::cancelled&) {
                    ++cancelled;
                }
                while (!cancel_done)
                    fiber::yield();
            },
            [&] {
                until_known();
                target.load()->cancel();
                cancel_done = true;
            },
            [&] {
                until_known();
                held.release();
            });
        lost += one.available() != 1 || one.waiting() != 0;
    };
    fiber::run(four_workers, [&] {
        for (int i = 0; i < rounds; ++i)
            round(i);
    });

    BOOST_TEST(granted + cancelled == rounds);
    BOOST_TEST(lost == 0);
}

// SEMANTICS 14
BOOST_AUTO_TEST_CASE(returns_to_its_baseline_after_many_time_outs)
{
    int wrong = 0;
    fiber::run(four_workers, [&] {
        semaphore three(3);
        for (int round = 0; round < repeats(30, 500); ++round) {
            run_many(50, [&](int i) {
                weather random(round * 50 + i);
                const auto mine = three.try_acquire_for(random.up_to(200us), 1 + random.below(2));
                if (mine)
                    random.pause();
            });
            wrong += three.available() != 3 || three.waiting() != 0;
        }
    });
    BOOST_TEST(wrong == 0);
}

// SEMANTICS 16
BOOST_AUTO_TEST_CASE(can_be_taken_after_a_storm_of_very_short_waits)
{
    std::atomic<int> granted = 0;
    bool taken = false;
    fiber::run(four_workers, [&] {
        semaphore one(1);
        auto held = one.acquire();
        run_many(200, [&](int) {
            for (int i = 0; i < repeats(20, 200); ++i)
                granted += one.try_acquire_for(1us).has_value();
        });
        held.release();
        taken = one.try_acquire_for(0ms).has_value();
    });
    BOOST_TEST(granted == 0);
    BOOST_TEST(taken);
}

// SEMANTICS 22
BOOST_AUTO_TEST_CASE(does_not_starve_a_waiter_behind_one_that_takes_and_releases)
{
    std::atomic<int> turns = 0;
    std::atomic<int> served_at = -1;
    fiber::run(four_workers, [&] {
        semaphore one(1);
        auto held = one.acquire();
        fiber::all(
            [&] {
                const auto mine = one.acquire();
                served_at = turns.load();
            },
            [&] {
                while (one.waiting() == 0)
                    fiber::yield();
                for (int i = 0; i < 100'000; ++i) {
                    held.release();
                    held = one.acquire();
                    ++turns;
                }
            });
    });
    BOOST_TEST(served_at == 0);
    BOOST_TEST(turns == 100'000);
}

BOOST_AUTO_TEST_CASE(mutex_admits_one_at_a_time)
{
    constexpr int fibers = 50;
    const int rounds = repeats(500, 5'000);
    int count = 0; // no atomic: the mutex is what is tested
    fiber::run(four_workers, [&] {
        fiber::mutex mutex;
        run_many(fibers, [&](int id) {
            weather random(id);
            for (int i = 0; i < rounds; ++i) {
                const std::lock_guard mine(mutex);
                const int before = count;
                if (random.one_in(50))
                    fiber::yield();
                count = before + 1;
            }
        });
    });
    BOOST_TEST(count == fibers * rounds);
}

BOOST_AUTO_TEST_CASE(condition_variable_loses_no_notification)
{
    constexpr int consumers = 8;
    const int items = repeats(20'000, 200'000);
    std::atomic<std::int64_t> sum = 0;
    fiber::run(four_workers, [&] {
        fiber::mutex mutex;
        fiber::condition_variable not_empty;
        std::deque<int> queue;
        task_group::run([&](task_group& tasks) {
            for (int i = 0; i < consumers; ++i)
                tasks.start([&] {
                    for (;;) {
                        std::unique_lock lock(mutex);
                        not_empty.wait(lock, [&] { return !queue.empty(); });
                        const int item = queue.front();
                        queue.pop_front();
                        lock.unlock();
                        if (item == 0)
                            return;
                        sum += item;
                    }
                });
            for (int i = 1; i <= items + consumers; ++i) {
                const std::lock_guard lock(mutex);
                queue.push_back(i <= items ? i : 0);
                not_empty.notify_one();
            }
        });
    });
    BOOST_TEST(sum == std::int64_t(items) * (items + 1) / 2);
}

BOOST_AUTO_TEST_SUITE_END()
