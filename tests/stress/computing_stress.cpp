// What compute() promises: a wait that ends with the scope, a place that is kept, and room for everybody
// else.
#include <heddle/base/error.hpp>
#include <heddle/fiber/all.hpp>
#include <heddle/fiber/compute.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>

#include "fiber/spawn.hpp"

#include <boost/test/unit_test.hpp>

#include <boost/fiber/operations.hpp>

#include <atomic>
#include <thread>

namespace fiber = heddle::fiber;
using namespace std::chrono_literals;

namespace {

// Computes until `stop`, or for so long that whoever should have set it has failed.
void compute_until(const std::atomic<bool>& stop)
{
    for (int tries = 0; tries < 10'000 && !stop; ++tries)
        std::this_thread::sleep_for(1ms);
}

} // namespace

BOOST_AUTO_TEST_SUITE(computing)

BOOST_AUTO_TEST_CASE(waiting_for_a_compute_worker_ends_with_the_scope)
{
    std::atomic<bool> computes = false, second_ended = false;
    bool in_time = false, second_ran = false;
    fiber::run({.workers = 2, .compute_workers = 1}, [&] {
        const auto first = [&] {
            fiber::compute([&] {
                computes = true;
                compute_until(second_ended);
                in_time = second_ended;
            });
        };
        const auto second = [&] {
            while (!computes)
                fiber::sleep_for(1ms);
            try {
                fiber::within(50ms, [&] { fiber::compute([&] { second_ran = true; }); });
            } catch (const heddle::deadline_exceeded&) {
                second_ended = true;
            }
        };
        fiber::all(first, second);
    });
    BOOST_TEST(in_time);
    BOOST_TEST(!second_ran);
}

BOOST_AUTO_TEST_CASE(a_computation_that_yields_or_parks_stays_where_it_delays_nobody)
{
    int stayed = 0;
    bool back = false;
    fiber::run({.workers = 2, .compute_workers = 2}, [&] {
        fiber::compute([&] {
            for (int i = 0; i < 100; ++i) {
                fiber::yield();
                stayed += fiber::on_compute_worker();
                boost::this_fiber::yield();
                stayed += fiber::on_compute_worker();
                fiber::sleep_for(10us);
                stayed += fiber::on_compute_worker();
            }
        });
        back = !fiber::on_compute_worker();
    });
    BOOST_TEST(stayed == 300);
    BOOST_TEST(back);
}

BOOST_AUTO_TEST_CASE(what_a_computation_spawns_is_no_computation)
{
    std::atomic<bool> spawned_ran = false, on_normal_worker = false;
    fiber::run({.workers = 1, .compute_workers = 1}, [&] {
        fiber::compute([&] {
            fiber::spawn("other", [&] {
                on_normal_worker = !fiber::on_compute_worker();
                spawned_ran = true;
            });
            compute_until(spawned_ran);
        });
    });
    BOOST_TEST(on_normal_worker);
}

BOOST_AUTO_TEST_CASE(what_follows_a_fiber_that_ended_there_is_no_computation)
{
    struct pair
    {
        std::atomic<int>& on_normal_worker;
        std::atomic<int>& done;

        static void run_first(void* self)
        {
            fiber::follow("second", {&run_second, self});
            fiber::move_to_compute_worker();
        }
        static void run_second(void* self)
        {
            const pair& mine = *static_cast<pair*>(self);
            mine.on_normal_worker += !fiber::on_compute_worker();
            ++mine.done;
        }
    };
    constexpr int rounds = 100;
    std::atomic<int> on_normal_worker = 0, done = 0;
    fiber::run({.workers = 1, .compute_workers = 1}, [&] {
        pair both{on_normal_worker, done};
        for (int i = 0; i < rounds; ++i) {
            fiber::spawn("first", fiber::task{&pair::run_first, &both});
            while (done <= i)
                fiber::sleep_for(10us);
        }
    });
    BOOST_TEST(on_normal_worker == rounds);
}

BOOST_AUTO_TEST_SUITE_END()
