// The gate's contract, continued: the work behind it, and that both permits come back when it has ended.
#include <heddle/fiber/all.hpp>
#include <heddle/fiber/offload.hpp>
#include <heddle/testing/hold.hpp>

#include "gate_fixture.hpp"

#include <array>
#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace fiber = heddle::fiber;
using fiber::gate;
using fiber::gate_event;
using heddle::testing::gate_fixture;
using heddle::testing::guest;
using heddle::testing::outcome_of;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(work, gate_fixture)

// SEMANTICS 28
BOOST_AUTO_TEST_CASE(takes_both_back_once_wherever_the_work_fails)
{
    gate lane({.running = 2, .waiting = 2});
    const std::array<const char*, 5> steps = {"begin", "body", "commit", "rollback", "close"};

    for (const char* const failing : steps) {
        const auto outcome = outcome_of([&] {
            lane.run([&] {
                for (const char* const step : steps)
                    if (step == failing)
                        throw std::runtime_error(step);
            });
        });
        BOOST_TEST(outcome == std::string("error: ") + failing);
        everything_is_back(lane);
    }
}

// SEMANTICS 29
BOOST_AUTO_TEST_CASE(returns_the_connection_then_the_turn_then_the_slot)
{
    gate lane({.running = 1, .waiting = 1, .queue_wait = 1s});
    std::int64_t turns_at_return = -1;
    std::int64_t slots_at_next_turn = -1;
    struct connection // stands for a lease: made after the permit, so it goes first
    {
        const gate& lane;
        std::int64_t& seen;
        ~connection() { seen = lane.turns().available(); }
    };
    guest first(runtime, [&] {
        const auto permit = lane.enter();
        const connection mine{lane, turns_at_return};
        fiber::sleep_for(10ms);
    });
    guest second(runtime, [&] {
        const auto permit = lane.enter();
        slots_at_next_turn = lane.slots().available();
    });

    runtime.advance(10ms);

    BOOST_TEST(turns_at_return == 0);
    BOOST_TEST(slots_at_next_turn == 1); // the first one's: it followed its turn
    everything_is_back(lane);
}

// SEMANTICS 30
BOOST_AUTO_TEST_CASE(stays_held_by_work_that_goes_on_after_its_caller_gave_up)
{
    gate narrow({.running = 1, .waiting = 0});
    std::atomic<bool> work_has_begun = false;
    std::atomic<bool> work_may_end = false;
    std::int64_t free_during_work = -1;
    guest caller(runtime, [&] {
        narrow.run([&] {
            fiber::offload([&] {
                work_has_begun = true;
                while (!work_may_end)
                    std::this_thread::yield();
            });
        });
        fiber::scope::check_current();
    });
    guest watcher(runtime, [&] {
        while (!work_has_begun)
            std::this_thread::yield();
        caller.cancel();
        fiber::yield();
        free_during_work = narrow.turns().available();
        work_may_end = true;
    });

    runtime.run_ready();

    BOOST_TEST(free_during_work == 0);
    BOOST_TEST(caller.outcome() == "cancelled");
    everything_is_back(narrow);
}

// SEMANTICS 30: a permit goes with the work to another fiber
BOOST_AUTO_TEST_CASE(lets_a_permit_outlive_the_fiber_that_entered)
{
    gate narrow({.running = 1, .waiting = 0});
    std::optional<gate::permit> work;
    guest caller(runtime, [&] { work = narrow.enter(); });
    runtime.run_ready();
    BOOST_TEST(caller.outcome() == "done");
    guest second = visitor(narrow, 1ms);
    runtime.run_ready();
    BOOST_TEST(second.outcome() == "full");

    work.reset();

    everything_is_back(narrow);
}

// SEMANTICS 32
BOOST_AUTO_TEST_CASE(takes_no_permit_for_an_empty_body)
{
    std::vector<gate_event> events;
    gate lane({.on_event = [&](gate_event event) { events.push_back(event); }});

    BOOST_CHECK_THROW(lane.run(std::function<void()>()), heddle::error);
    BOOST_CHECK_THROW(lane.run(static_cast<void (*)()>(nullptr)), heddle::error);

    BOOST_TEST(events.empty());
    everything_is_back(lane);
}

// SEMANTICS 33
BOOST_AUTO_TEST_CASE(refuses_a_fiber_that_is_inside_already)
{
    gate lane({.name = "read", .running = 4, .waiting = 4});

    const auto outcome = outcome_of([&] { lane.run([&] { lane.run([] {}); }); });

    BOOST_TEST(outcome == "error: gate \"read\": this fiber, or one that waits for it, is inside already");
    everything_is_back(lane);
}

// SEMANTICS 33
BOOST_AUTO_TEST_CASE(refuses_a_child_whose_parent_is_inside)
{
    gate lane({.running = 4, .waiting = 4});
    std::string grandchild;

    const auto child = outcome_of([&] { lane.run([&] { fiber::all([&] { lane.run([] {}); }); }); });
    lane.run(
        [&] { fiber::all([&] { fiber::all([&] { grandchild = outcome_of([&] { lane.enter(); }); }); }); });

    BOOST_TEST(child.starts_with("error: gate"));
    BOOST_TEST(grandchild.starts_with("error: gate"));
    everything_is_back(lane);
}

// SEMANTICS 33
BOOST_AUTO_TEST_CASE(serves_two_siblings_side_by_side)
{
    gate lane({.running = 2, .waiting = 0});
    std::int64_t together = 0;
    const auto sibling = [&] {
        const auto mine = lane.enter();
        fiber::sleep_for(10ms);
        together = std::max(together, lane.statistics().in_flight);
    };
    guest parent(runtime, [&] { fiber::all(sibling, sibling); });

    runtime.advance(10ms);

    BOOST_TEST(parent.outcome() == "done");
    BOOST_TEST(together == 2);
    everything_is_back(lane);
}

// SEMANTICS 34
BOOST_AUTO_TEST_CASE(tells_its_events_in_order)
{
    std::vector<gate_event> events;
    gate lane({.running = 1, .on_event = [&](gate_event event) { events.push_back(event); }});

    lane.run([&] { BOOST_TEST(events.size() == 2U); });

    const std::vector<gate_event> expected = {gate_event::admitted, gate_event::running,
                                              gate_event::finished};
    BOOST_TEST((events == expected));
}

// SEMANTICS 36
BOOST_AUTO_TEST_CASE(lowers_its_gauge_on_success_failure_and_drop)
{
    gate lane({.running = 3});
    const auto in_flight = [&] { return lane.statistics().in_flight; };

    lane.run([&] { BOOST_TEST(in_flight() == 1); });
    BOOST_TEST(in_flight() == 0);
    BOOST_CHECK_THROW(lane.run([] { throw 1; }), int);
    BOOST_TEST(in_flight() == 0);
    {
        const auto dropped = lane.enter();
        BOOST_TEST(in_flight() == 1);
    }
    BOOST_TEST(in_flight() == 0);
}

// SEMANTICS 20, 36
BOOST_AUTO_TEST_CASE(takes_a_permit_back_once)
{
    gate lane({.running = 2});
    auto first = lane.enter();
    auto second = std::move(first);

    first.release(); // NOLINT: moved from, on purpose
    BOOST_TEST(lane.statistics().in_flight == 1);
    second.release();
    second.release();

    everything_is_back(lane);
}

// SEMANTICS 39
BOOST_AUTO_TEST_CASE(never_runs_the_body_of_cancelled_queued_work)
{
    gate lane({.running = 1, .waiting = 1, .queue_wait = 1s});
    auto inside = lane.enter();
    bool ran = false;
    guest queued(runtime, [&] { lane.run([&] { ran = true; }); });
    runtime.run_ready();

    queued.cancel();
    inside.release();
    runtime.advance(1s);

    BOOST_TEST(queued.outcome() == "cancelled");
    BOOST_TEST(!ran);
    everything_is_back(lane);
}

// A grant wins over a cancel: what was handed over is used or given back, never lost.
BOOST_AUTO_TEST_CASE(keeps_a_turn_that_was_granted_before_the_cancel)
{
    gate lane({.running = 1, .waiting = 1, .queue_wait = 1s});
    auto inside = lane.enter();
    bool ran = false;
    guest queued(runtime, [&] {
        lane.run([&] {
            ran = true;
            fiber::sleep_for(1ms);
        });
    });
    runtime.run_ready();

    inside.release();
    queued.cancel();
    runtime.run_ready();

    BOOST_TEST(ran);
    BOOST_TEST(queued.outcome() == "cancelled");
    everything_is_back(lane);
}

// SEMANTICS 41
BOOST_AUTO_TEST_CASE(answers_about_itself_without_a_permit)
{
    gate narrow({.running = 1, .waiting = 0});
    const heddle::testing::hold busy(narrow);
    const auto before = narrow.statistics();

    const auto after = narrow.statistics();

    BOOST_TEST(after.entered == before.entered);
    BOOST_TEST(after.full == 0U);
    BOOST_TEST(narrow.slots().available() == 0);
}

BOOST_AUTO_TEST_CASE(says_how_long_a_permit_was_waited_for)
{
    gate lane({.running = 1, .waiting = 1, .queue_wait = 1s});
    fiber::duration waited = 0ms;
    guest first = visitor(lane, 40ms);
    guest second(runtime, [&] { waited = lane.enter().waited(); });

    runtime.advance(40ms);

    BOOST_TEST((waited == 40ms));
}

BOOST_AUTO_TEST_SUITE_END()
