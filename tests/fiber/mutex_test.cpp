// The mutex and the condition variable.
#include <heddle/base/error.hpp>
#include <heddle/fiber/condition_variable.hpp>
#include <heddle/fiber/mutex.hpp>
#include <heddle/fiber/runtime.hpp>

#include "guest.hpp"

#define BOOST_TEST_MODULE mutex
#include <boost/test/unit_test.hpp>

#include <mutex>
#include <vector>

namespace fiber = heddle::fiber;
using heddle::testing::guest;
using heddle::testing::outcome_of;
using namespace std::chrono_literals;

namespace {

struct mutex_fixture
{
    heddle::testing::runtime runtime;
    fiber::mutex mutex;
    fiber::condition_variable changed;
    std::vector<int> order;

    guest locker(int id, fiber::duration time)
    {
        return guest(runtime, [this, id, time] {
            const std::lock_guard mine(mutex);
            order.push_back(id);
            fiber::sleep_for(time);
        });
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(mutex_suite, mutex_fixture)

BOOST_AUTO_TEST_CASE(admits_one_at_a_time_in_the_order_of_coming)
{
    const guest first = locker(1, 10ms);
    const guest second = locker(2, 10ms);
    const guest third = locker(3, 10ms);

    runtime.advance(15ms);
    BOOST_TEST(order == (std::vector<int>{1, 2}), boost::test_tools::per_element());
    runtime.advance(15ms);

    BOOST_TEST(third.outcome() == "done");
}

BOOST_AUTO_TEST_CASE(lets_a_newcomer_take_it_while_it_is_free)
{
    mutex.lock();
    const guest waiter = locker(1, 1ms);
    runtime.run_ready();

    mutex.unlock();
    const bool barged = mutex.try_lock();
    runtime.run_ready();

    BOOST_TEST(barged);
    BOOST_TEST(waiter.waits());
    mutex.unlock();
    runtime.advance(1ms);
    BOOST_TEST(waiter.outcome() == "done");
}

BOOST_AUTO_TEST_CASE(passes_over_a_waiter_whose_scope_has_ended)
{
    mutex.lock();
    guest gone = locker(1, 1ms);
    const guest next = locker(2, 1ms);
    runtime.run_ready();

    gone.cancel();
    mutex.unlock();
    runtime.advance(1ms);

    BOOST_TEST(gone.outcome() == "cancelled");
    BOOST_TEST(next.outcome() == "done");
    BOOST_TEST(mutex.try_lock());
    mutex.unlock();
}

BOOST_AUTO_TEST_CASE(refuses_a_fiber_that_has_it)
{
    const std::lock_guard mine(mutex);

    BOOST_CHECK_THROW(mutex.lock(), heddle::error);
    BOOST_TEST(!mutex.try_lock());
}

BOOST_AUTO_TEST_CASE(wakes_one_or_all)
{
    int ready = 0;
    const auto wait = [&] {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return ready > 0; });
        --ready;
    };
    const guest first(runtime, wait);
    const guest second(runtime, wait);
    const guest third(runtime, wait);
    runtime.run_ready();

    ready = 1;
    changed.notify_one();
    runtime.run_ready();
    BOOST_TEST(first.outcome() == "done");
    BOOST_TEST(second.waits());
    ready = 2;
    changed.notify_all();
    runtime.run_ready();

    BOOST_TEST(second.outcome() == "done");
    BOOST_TEST(third.outcome() == "done");
}

BOOST_AUTO_TEST_CASE(ends_a_timed_wait_with_the_mutex_held)
{
    std::cv_status status{};
    bool held = false;
    bool condition = true;
    const guest waiter(runtime, [&] {
        std::unique_lock lock(mutex);
        status = changed.wait_for(lock, 20ms);
        held = !mutex.try_lock();
        condition = changed.wait_for(lock, 20ms, [] { return false; });
    });

    runtime.advance(40ms);

    BOOST_TEST((status == std::cv_status::timeout));
    BOOST_TEST(held);
    BOOST_TEST(!condition);
    BOOST_TEST(waiter.milliseconds() == 40);
}

BOOST_AUTO_TEST_CASE(locks_again_before_a_cancelled_wait_throws)
{
    bool owned = false;
    guest waiter(runtime, [&] {
        std::unique_lock lock(mutex);
        const auto outcome = outcome_of([&] { changed.wait(lock); });
        owned = outcome == "cancelled" && lock.owns_lock();
    });
    runtime.run_ready();
    mutex.lock();

    waiter.cancel();
    runtime.run_ready();
    BOOST_TEST(waiter.waits()); // for the mutex: not to be interrupted
    mutex.unlock();
    runtime.run_ready();

    BOOST_TEST(owned);
    BOOST_TEST(mutex.try_lock());
    mutex.unlock();
}

BOOST_AUTO_TEST_CASE(gives_a_notification_to_one_that_still_waits)
{
    guest gone(runtime, [&] {
        std::unique_lock lock(mutex);
        changed.wait(lock);
    });
    const guest next(runtime, [&] {
        std::unique_lock lock(mutex);
        changed.wait(lock);
    });
    runtime.run_ready();

    gone.cancel();
    changed.notify_one();
    runtime.run_ready();

    BOOST_TEST(gone.outcome() == "cancelled");
    BOOST_TEST(next.outcome() == "done");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(outside_the_runtime)

// As two threads without fibers would look alike to it.
BOOST_AUTO_TEST_CASE(a_mutex_is_refused)
{
    fiber::mutex free;

    BOOST_TEST(!free.try_lock());
    BOOST_CHECK_THROW(free.lock(), heddle::error);
    BOOST_TEST(!free.try_lock());
}

BOOST_AUTO_TEST_SUITE_END()
