#include <heddle/base/error.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>

#include "fiber/reactor.hpp"
#include "fiber/spawn.hpp"
#include "storm.hpp"

#define BOOST_TEST_MODULE runtime_stress
#include <boost/test/unit_test.hpp>

#include <boost/fiber/mutex.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <vector>

#include <sys/socket.h>

namespace fiber = heddle::fiber;
using heddle::testing::repeats;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace {

// Keeps the worker busy: the one thing a fiber must not do for long.
void hog(std::chrono::milliseconds d)
{
    for (const auto end = steady::now() + d; steady::now() < end;) {
    }
}

#if defined(BOOST_USE_TSAN) || defined(BOOST_USE_ASAN)
constexpr double lateness_bound_ms = 50; // a sanitizer's own time is no figure of ours
#else
constexpr double lateness_bound_ms = 1;
#endif

void wait_for(const std::atomic<int>& counter, int value)
{
    while (counter.load() < value)
        fiber::sleep_for(1ms);
}

} // namespace

BOOST_AUTO_TEST_SUITE(runtime)

BOOST_AUTO_TEST_CASE(starts_and_stops_again_and_again)
{
    int runs = 0;
    for (int i = 0; i < repeats(20, 200); ++i)
        runs += fiber::run({.workers = 1u + static_cast<unsigned>(i % 4)}, [] { fiber::sleep_for(1ms); }) ==
                EXIT_SUCCESS;
    BOOST_TEST(runs == repeats(20, 200));
}

BOOST_AUTO_TEST_CASE(stops_though_its_threads_have_hardly_begun)
{
    int runs = 0;
    for (int i = 0; i < repeats(50, 500); ++i)
        runs += fiber::run({.workers = 8, .compute_workers = 8}, [] {}) == EXIT_SUCCESS;
    BOOST_TEST(runs == repeats(50, 500));
}

BOOST_AUTO_TEST_CASE(every_fiber_runs_once)
{
    constexpr int many = 20'000;
    std::atomic<int> ran = 0;
    fiber::run({.workers = 4}, [&] {
        for (int i = 0; i < many; ++i) {
            fiber::spawn("one", [&] {
                fiber::yield();
                ++ran;
            });
        }
        wait_for(ran, many);
    });
    BOOST_TEST(ran == many);
}

BOOST_AUTO_TEST_CASE(a_rethrow_after_suspending_throws_ones_own)
{
    constexpr int many = 10'000;
    std::atomic<int> own = 0, done = 0;
    fiber::run({.workers = 4}, [&] {
        for (int i = 0; i < many; ++i) {
            fiber::spawn("thrower", [&, i] {
                try {
                    try {
                        throw i;
                    } catch (int) {
                        fiber::yield(); // not a park: only Boost's scheduler sees it, and may move us to
                                        // another worker
                        fiber::yield();
                        throw;
                    }
                } catch (int mine) {
                    own += mine == i;
                }
                ++done;
            });
        }
        wait_for(done, many);
    });
    BOOST_TEST(own == many);
}

BOOST_AUTO_TEST_CASE(a_fiber_parked_on_a_worker_that_computes_goes_on_elsewhere)
{
    std::vector<double> late_ms;
    fiber::run({.workers = 2}, [&] {
        for (int i = 0; i < repeats(5, 20); ++i) {
            std::atomic<steady::rep> woke = 0;
            std::atomic<int> done = 0;
            const auto begin = steady::now();
            fiber::spawn("parked, then its worker computes", [&] {
                fiber::spawn("hog", [&] {
                    hog(300ms);
                    ++done;
                });
                fiber::sleep_for(50ms);
                woke = (steady::now() - begin).count();
                ++done;
            });
            wait_for(done, 2);
            late_ms.push_back(static_cast<double>(woke) / 1e6 - 50);
        }
    });
    std::sort(late_ms.begin(), late_ms.end());
    BOOST_TEST_MESSAGE("median lateness: " << late_ms[late_ms.size() / 2] << " ms");
    BOOST_TEST(late_ms[late_ms.size() / 2] < lateness_bound_ms);
    BOOST_TEST(late_ms.front() >= 0.0);
}

BOOST_AUTO_TEST_CASE(a_cancel_from_another_worker_ends_each_wait_once)
{
    const int rounds = repeats(2'000, 50'000);
    int cancelled = 0, slept = 0;
    fiber::run({.workers = 4}, [&] {
        for (int i = 0; i < rounds; ++i) {
            fiber::scope* inner = nullptr;
            std::atomic<int> opened = 0, may_close = 0, done = 0;
            bool was_cancelled = false;
            fiber::spawn("victim", [&] {
                fiber::scope mine{{}};
                inner = &mine;
                opened = 1;
                try {
                    fiber::sleep_for(20us);
                } catch (const heddle::cancelled&) {
                    was_cancelled = true;
                }
                fiber::shield(1s, [&] { wait_for(may_close, 1); });
                done = 1;
            });
            fiber::spawn("canceller", [&] {
                wait_for(opened, 1);
                inner->cancel();
                may_close = 1;
            });
            wait_for(done, 1);
            ++(was_cancelled ? cancelled : slept);
        }
    });
    BOOST_TEST(cancelled + slept == rounds);
}

BOOST_AUTO_TEST_CASE(boosts_own_mutex_works_between_workers)
{
    boost::fibers::mutex mutex;
    int counter = 0;
    std::atomic<int> done = 0;
    constexpr int fibers = 16, rounds = 500;
    fiber::run({.workers = 4}, [&] {
        for (int i = 0; i < fibers; ++i) {
            fiber::spawn("boost", [&] {
                for (int round = 0; round < rounds; ++round) {
                    std::lock_guard guard(mutex);
                    const int seen = counter;
                    if (round % 16 == 0)
                        fiber::yield();
                    counter = seen + 1;
                }
                ++done;
            });
        }
        wait_for(done, fibers);
    });
    BOOST_TEST(counter == fibers * rounds);
}

BOOST_AUTO_TEST_CASE(sockets_ping_and_pong_between_workers)
{
    const int rounds = repeats(5'000, 100'000);
    std::atomic<int> done = 0;
    std::atomic<int> errors = 0;
    fiber::run({.workers = 4}, [&] {
        const auto play = [&](int fd, bool begins) {
            fiber::descriptor* const d = fiber::watch(fd);
            char ball = 'x';
            for (int i = 0; i < rounds; ++i) {
                if (begins && fiber::sys::send(fd, &ball, 1) != 1)
                    ++errors;
                std::int64_t got = 0;
                while ((got = fiber::sys::receive(fd, &ball, 1)) == -EAGAIN)
                    fiber::wait_ready(d, fiber::direction::read);
                if (got != 1)
                    ++errors;
                if (!begins && fiber::sys::send(fd, &ball, 1) != 1)
                    ++errors;
            }
            fiber::shield(10s, [&] {
                ++done;
                wait_for(done, 8);
            });
            fiber::forget(d);
        };
        for (int pair = 0; pair < 4; ++pair) {
            int fds[2];
            if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) != 0)
                std::abort();
            fiber::spawn("ping", [&play, fd = fds[0]] { play(fd, true); });
            fiber::spawn("pong", [&play, fd = fds[1]] { play(fd, false); });
        }
        wait_for(done, 8);
    });
    BOOST_TEST(errors == 0);
    BOOST_TEST(done == 8);
}

BOOST_AUTO_TEST_CASE(a_reset_cancels_the_scope_that_is_attached)
{
    int cancelled = 0;
    const int rounds = repeats(200, 5'000);
    fiber::run({.workers = 2}, [&] {
        for (int i = 0; i < rounds; ++i) {
            int fds[2];
            if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) != 0)
                std::abort();
            fiber::descriptor* const mine = fiber::watch(fds[0]);
            fiber::descriptor* const peer = fiber::watch(fds[1]);
            fiber::spawn("peer", [peer] { fiber::forget(peer); });
            try {
                fiber::scope request{{}};
                fiber::attach_scope(mine, &request);
                std::exception_ptr ended;
                try {
                    fiber::sleep_for(5s);
                } catch (...) {
                    ended = std::current_exception();
                }
                fiber::attach_scope(mine, nullptr);
                if (ended)
                    std::rethrow_exception(ended);
            } catch (const heddle::cancelled&) {
                ++cancelled;
            }
            fiber::forget(mine);
        }
    });
    BOOST_TEST(cancelled == rounds);
}

BOOST_AUTO_TEST_CASE(an_exception_of_any_type_ends_its_fiber_only)
{
    std::atomic<int> done = 0;
    const int code = fiber::run({.workers = 2}, [&] {
        fiber::spawn("int", [] { throw 42; });
        fiber::spawn("runtime_error", [] { throw std::runtime_error("meant"); });
        fiber::spawn("fine", [&] { ++done; });
        wait_for(done, 1);
        fiber::sleep_for(5ms);
    });
    BOOST_TEST(code == EXIT_SUCCESS);
    BOOST_TEST(done == 1);
}

BOOST_AUTO_TEST_CASE(the_bodys_exception_comes_out_of_run)
{
    BOOST_CHECK_THROW(fiber::run({.workers = 1}, [] { throw std::logic_error("mine"); }), std::logic_error);
    BOOST_TEST(fiber::run({.workers = 1}, [] {}) == EXIT_SUCCESS);
}

BOOST_AUTO_TEST_CASE(wrong_options_are_all_named)
{
    const auto names_both = [](const heddle::config_error& e) {
        const std::string_view what = e.what();
        return what.find("stack_size") != what.npos && what.find("offload_threads") != what.npos;
    };
    BOOST_CHECK_EXCEPTION(fiber::run({.offload_threads = 0, .stack_size = 1000}, [] {}), heddle::config_error,
                          names_both);
}

BOOST_AUTO_TEST_SUITE_END()
