// Who sleeps though there is work, or a timer, for him? Each case needs fibers to run side by side that block
// their threads until the others have run too, so a worker that is not woken shows whatever the machine's
// speed.
#include <heddle/fiber/all.hpp>
#include <heddle/fiber/compute.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>

#include "fiber/reactor.hpp"
#include "fiber/spawn.hpp"
#include "storm.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cerrno>
#include <thread>

#include <sys/socket.h>
#include <unistd.h>

namespace fiber = heddle::fiber;
using heddle::testing::repeats;
using namespace std::chrono_literals;

namespace {

// Blocks the thread, as a long computation does, until `holds` or a time in which every sleeper would have
// been woken.
template <class Predicate>
bool block_until(Predicate holds)
{
    for (int tries = 0; tries < 10'000; ++tries) {
        if (holds())
            return true;
        std::this_thread::sleep_for(1ms);
    }
    return false;
}

// Comes in, and blocks until `count` are in.
bool meet(std::atomic<int>& inside, int count)
{
    ++inside;
    return block_until([&] { return inside >= count; });
}

// Long enough for idle workers to fall asleep; if they do not, a case shows less, but does not fail.
void let_workers_fall_asleep()
{
    std::this_thread::sleep_for(5ms);
}

} // namespace

BOOST_AUTO_TEST_SUITE(waking)

BOOST_AUTO_TEST_CASE(a_fiber_spawned_just_before_a_computation_runs_elsewhere)
{
    int met = 0;
    const int rounds = repeats(5, 50);
    fiber::run({.workers = 2}, [&] {
        for (int i = 0; i < rounds && met == i; ++i) {
            let_workers_fall_asleep();
            std::atomic<bool> ran = false;
            fiber::spawn("other", [&] { ran = true; });
            met += block_until([&] { return ran.load(); });
            while (!ran)
                fiber::yield();
        }
    });
    BOOST_TEST(met == rounds);
}

BOOST_AUTO_TEST_CASE(three_that_compute_have_three_workers)
{
    int met = 0;
    const int rounds = repeats(5, 50);
    fiber::run({.workers = 3}, [&] {
        for (int i = 0; i < rounds && met == i; ++i) {
            let_workers_fall_asleep();
            std::atomic<int> inside = 0;
            const auto come = [&] { return meet(inside, 3); };
            const auto [first, second, third] = fiber::all(come, come, come);
            met += first && second && third;
        }
    });
    BOOST_TEST(met == rounds);
}

BOOST_AUTO_TEST_CASE(two_that_compute_have_two_compute_workers)
{
    int met = 0;
    const int rounds = repeats(5, 50);
    fiber::run({.workers = 2, .compute_workers = 2}, [&] {
        for (int i = 0; i < rounds && met == i; ++i) {
            let_workers_fall_asleep();
            std::atomic<int> inside = 0;
            const auto come = [&] { return fiber::compute([&] { return meet(inside, 2); }); };
            const auto [first, second] = fiber::all(come, come);
            met += first && second;
        }
    });
    BOOST_TEST(met == rounds);
}

BOOST_AUTO_TEST_CASE(those_who_compute_and_yield_let_a_descriptor_in_soon)
{
    int fds[2];
    BOOST_REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
    std::atomic<bool> arrived = false;
    int slices = 0;
    fiber::run({.workers = 1, .compute_workers = 0}, [&] {
        fiber::descriptor* const here = fiber::watch(fds[0]);
        fiber::spawn("reader", [&] {
            char byte = 0;
            while (fiber::sys::receive(fds[0], &byte, 1) == -EAGAIN)
                fiber::wait_ready(here, fiber::direction::read);
            arrived = true;
        });
        fiber::yield();
        fiber::sys::send(fds[1], "x", 1);
        for (; !arrived && slices < 100; ++slices) {
            std::this_thread::sleep_for(2ms);
            fiber::yield();
        }
        fiber::forget(here);
    });
    ::close(fds[1]);
    BOOST_TEST(slices <= 5);
}

// One fiber sleeps. Of the two idle workers one is woken to set its alarm, and again for a computation, as
// the kernel takes the one that came last; the other had gone to sleep for good.
struct watched_timer
{
    std::atomic<bool> is_there = false, woke = false, saw = false, done = false;

    void sleep()
    {
        fiber::move_to_compute_worker(); // so that no normal worker passes by and sets its alarm by itself
        is_there = true;
        fiber::sleep_for(100ms);
        woke = true;
    }

    void compute_meanwhile()
    {
        fiber::move_to_compute_worker();
        while (!is_there) // there is one compute worker: it sleeps as soon as that can be seen
            fiber::yield();
        let_workers_fall_asleep();
        fiber::spawn("computes", [this] {
            saw = block_until([&] { return woke.load(); });
            done = true;
        });
    }
};

BOOST_AUTO_TEST_CASE(a_timer_is_watched_though_the_worker_that_watched_it_computes)
{
    int seen = 0;
    const int rounds = repeats(3, 30);
    fiber::run({.workers = 2, .compute_workers = 1}, [&] {
        for (int i = 0; i < rounds && seen == i; ++i) {
            watched_timer one;
            fiber::all([&] { one.sleep(); }, [&] { one.compute_meanwhile(); });
            block_until([&] { return one.done.load(); });
            seen += one.saw;
        }
    });
    BOOST_TEST(seen == rounds);
}

BOOST_AUTO_TEST_SUITE_END()
