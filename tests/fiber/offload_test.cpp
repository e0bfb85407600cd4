// offload() and compute().
#include <heddle/fiber/compute.hpp>
#include <heddle/fiber/offload.hpp>
#include <heddle/fiber/runtime.hpp>

#include "guest.hpp"

#define BOOST_TEST_MODULE offload
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace fiber = heddle::fiber;
using heddle::testing::guest;
using heddle::testing::outcome_of;
using namespace std::chrono_literals;

namespace {

struct offload_fixture
{
    heddle::testing::runtime runtime{{.offload_threads = 1}};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(offload_suite, offload_fixture)

BOOST_AUTO_TEST_CASE(returns_the_result_from_another_thread)
{
    const auto here = std::this_thread::get_id();
    std::thread::id there;

    const auto text = fiber::offload([&] {
        there = std::this_thread::get_id();
        return std::make_unique<std::string>("done");
    });

    BOOST_TEST(*text == "done");
    BOOST_TEST((there != here));
}

BOOST_AUTO_TEST_CASE(passes_on_what_the_call_throws)
{
    BOOST_CHECK_THROW(fiber::offload([] { throw std::domain_error("no"); }), std::domain_error);
    BOOST_CHECK_THROW(fiber::offload([]() -> int { throw 1; }), int);
}

BOOST_AUTO_TEST_CASE(lets_other_fibers_run_meanwhile)
{
    std::atomic<bool> other_ran = false;
    const guest blocked(runtime, [&] {
        fiber::offload([&] {
            while (!other_ran)
                std::this_thread::yield();
        });
    });
    const guest other(runtime, [&] { other_ran = true; });

    runtime.run_ready();

    BOOST_TEST(blocked.outcome() == "done");
}

BOOST_AUTO_TEST_CASE(waits_for_a_call_that_runs_whatever_happens_to_the_scope)
{
    std::atomic<bool> runs = false;
    std::atomic<bool> may_end = false;
    bool waited = false;
    guest caller(runtime, [&] {
        fiber::offload([&] {
            runs = true;
            while (!may_end)
                std::this_thread::yield();
        });
        waited = may_end;
    });
    const guest canceller(runtime, [&] {
        while (!runs)
            std::this_thread::yield();
        caller.cancel();
        fiber::yield();
        may_end = true;
    });

    runtime.run_ready();

    BOOST_TEST(waited);
    BOOST_TEST(caller.outcome() == "done");
}

BOOST_AUTO_TEST_CASE(never_runs_a_call_that_is_cancelled_in_the_queue)
{
    std::atomic<bool> runs = false;
    std::atomic<bool> may_end = false;
    std::atomic<bool> second_ran = false;
    const guest first(runtime, [&] {
        fiber::offload([&] {
            runs = true;
            while (!may_end)
                std::this_thread::yield();
        });
    });
    guest second(runtime, [&] { fiber::offload([&] { second_ran = true; }); });
    const guest canceller(runtime, [&] {
        while (!runs)
            std::this_thread::yield();
        second.cancel();
        fiber::yield();
        may_end = true;
    });

    runtime.run_ready();

    BOOST_TEST(second.outcome() == "cancelled");
    BOOST_TEST(!second_ran);
    BOOST_TEST(first.outcome() == "done");
}

BOOST_AUTO_TEST_CASE(takes_calls_in_turn_when_there_are_more_than_threads)
{
    std::vector<int> order; // by one helper thread only
    std::vector<guest> callers;
    for (int i = 0; i < 5; ++i)
        callers.emplace_back(runtime, [&order, i] { fiber::offload([&order, i] { order.push_back(i); }); });

    runtime.run_ready();

    BOOST_TEST(order == (std::vector<int>{0, 1, 2, 3, 4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(computes_where_it_is_called_without_a_compute_worker)
{
    const auto here = std::this_thread::get_id();

    const bool same = fiber::compute([&] { return std::this_thread::get_id() == here; });

    BOOST_TEST(same);
    BOOST_CHECK_THROW(fiber::compute([] { throw std::domain_error("no"); }), std::domain_error);
}

BOOST_AUTO_TEST_CASE(does_not_begin_in_a_scope_that_has_ended)
{
    bool ran = false;
    guest offloading(runtime, [&] {
        fiber::scope::current()->cancel();
        fiber::offload([&] { ran = true; });
    });
    guest computing(runtime, [&] {
        fiber::scope::current()->cancel();
        fiber::compute([&] { ran = true; });
    });

    runtime.run_ready();

    BOOST_TEST(offloading.outcome() == "cancelled");
    BOOST_TEST(computing.outcome() == "cancelled");
    BOOST_TEST(!ran);
}

BOOST_AUTO_TEST_SUITE_END()
