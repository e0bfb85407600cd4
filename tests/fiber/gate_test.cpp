// The gate's contract, one behaviour a case, in virtual time: who is admitted, who is refused, what is
// counted. The random storm is in tests/stress.
#define BOOST_TEST_MODULE gate
#include <heddle/fiber/gates.hpp>
#include <heddle/testing/hold.hpp>

#include "gate_fixture.hpp"

#include <type_traits>
#include <vector>

namespace fiber = heddle::fiber;
using fiber::gate;
using fiber::gate_event;
using heddle::testing::gate_fixture;
using heddle::testing::guest;
using heddle::testing::outcome_of;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(admission, gate_fixture)

// SEMANTICS 23
BOOST_AUTO_TEST_CASE(rejects_at_once_when_one_runs_and_none_may_wait)
{
    gate narrow({.running = 1, .waiting = 0});
    guest first = visitor(narrow, 50ms);
    guest second = visitor(narrow, 50ms);

    runtime.run_ready();

    BOOST_TEST(first.waits());
    BOOST_TEST(second.outcome() == "full");
    BOOST_TEST(second.milliseconds() == 0);
    runtime.advance(50ms);
    everything_is_back(narrow);
}

// SEMANTICS 24
BOOST_AUTO_TEST_CASE(admits_exactly_as_many_as_may_run_and_wait)
{
    gate lane({.running = 2, .waiting = 3, .queue_wait = 10s});
    const auto admitted = visitors(5, lane, 50ms);
    guest next = visitor(lane, 50ms);

    runtime.run_ready();

    BOOST_TEST(next.outcome() == "full");
    BOOST_TEST(lane.statistics().in_flight == 2);
    BOOST_TEST(lane.statistics().queued == 3);
    runtime.advance(150ms);
    for (const auto& one : admitted)
        BOOST_TEST(one.outcome() == "done");
    everything_is_back(lane);
}

// SEMANTICS 25
BOOST_AUTO_TEST_CASE(counts_those_that_waited_too_long_apart_from_those_that_found_it_full)
{
    gate lane({.running = 1, .waiting = 1, .queue_wait = 20ms});
    guest first = visitor(lane, 100ms);
    guest queued = visitor(lane, 1ms);
    guest third = visitor(lane, 1ms);

    runtime.advance(20ms);

    BOOST_TEST(queued.outcome() == "timed out");
    BOOST_TEST(queued.milliseconds() == 20);
    BOOST_TEST(third.outcome() == "full");
    BOOST_TEST(lane.statistics().timed_out == 1U);
    BOOST_TEST(lane.statistics().full == 1U);
    runtime.advance(80ms);
    everything_is_back(lane);
}

// SEMANTICS 25, 114: nothing has begun, so the scope's deadline is a refusal as well
BOOST_AUTO_TEST_CASE(refuses_when_the_deadline_comes_in_the_queue)
{
    gate lane({.running = 1, .waiting = 1, .queue_wait = 1s});
    guest first = visitor(lane, 100ms);
    guest queued = visitor(lane, 1ms, 30ms);

    runtime.advance(30ms);

    BOOST_TEST(queued.outcome() == "timed out");
    BOOST_TEST(queued.milliseconds() == 30);
    BOOST_TEST(lane.slots().available() == 1);
    runtime.advance(70ms);
}

// SEMANTICS 26
BOOST_AUTO_TEST_CASE(changes_nothing_when_it_is_full)
{
    gate narrow({.running = 1, .waiting = 0});
    auto inside = narrow.enter();

    guest refused = visitor(narrow, 1ms);
    runtime.run_ready();

    BOOST_TEST(refused.outcome() == "full");
    BOOST_TEST(narrow.slots().available() == 0);
    BOOST_TEST(narrow.turns().available() == 0);
    inside.release();
    everything_is_back(narrow);
}

// SEMANTICS 27
BOOST_AUTO_TEST_CASE(gives_back_only_the_slot_of_one_that_leaves_the_queue)
{
    gate lane({.running = 1, .waiting = 2, .queue_wait = 20ms});
    auto inside = lane.enter();
    guest late = visitor(lane, 1ms);
    guest gone = visitor(lane, 1ms);
    runtime.run_ready();
    BOOST_TEST(lane.slots().available() == 0);

    gone.cancel();
    runtime.run_ready();
    BOOST_TEST(gone.outcome() == "cancelled");
    BOOST_TEST(lane.slots().available() == 1);
    runtime.advance(20ms);

    BOOST_TEST(late.outcome() == "timed out");
    BOOST_TEST(lane.slots().available() == 2);
    BOOST_TEST(lane.turns().available() == 0);
    BOOST_TEST(lane.statistics().cancelled == 1U);
    inside.release();
    everything_is_back(lane);
}

// SEMANTICS 32
BOOST_AUTO_TEST_CASE(refuses_limits_that_cannot_work_and_names_each)
{
    const auto made = [](std::int64_t running, std::int64_t waiting, fiber::duration wait) {
        return outcome_of(
            [&] { gate({.name = "g", .running = running, .waiting = waiting, .queue_wait = wait}); });
    };

    BOOST_TEST(made(0, 0, 0ms) == "refused: gate \"g\": running must be at least 1, not 0");
    BOOST_TEST(made(1, -1, 0ms) == "refused: gate \"g\": waiting must not be negative, not -1");
    BOOST_TEST(made(1, 0, -1ms) == "refused: gate \"g\": queue_wait must not be negative");
    BOOST_TEST(made(INT32_MAX, 1, 0ms) ==
               "refused: gate \"g\": running + waiting must be at most 2147483647");
    BOOST_TEST(made(1, INT64_MAX, 0ms) ==
               "refused: gate \"g\": running + waiting must be at most 2147483647");
    BOOST_TEST(made(0, -1, -1ms) ==
               "refused: gate \"g\": running must be at least 1, not 0; waiting must not be "
               "negative, not -1; queue_wait must not be negative");
    BOOST_TEST(made(INT32_MAX, 0, 0ms) == "done");
}

// SEMANTICS 35
BOOST_AUTO_TEST_CASE(counts_a_rejection_once)
{
    std::vector<gate_event> refusals;
    gate lane({.running = 1, .waiting = 1, .queue_wait = 10ms, .on_event = [&](gate_event event) {
                   if (event == gate_event::full || event == gate_event::timed_out ||
                       event == gate_event::cancelled)
                       refusals.push_back(event);
               }});
    auto inside = lane.enter();
    guest late = visitor(lane, 1ms);
    guest refused = visitor(lane, 1ms);
    runtime.advance(10ms);
    guest gone = visitor(lane, 1ms);
    runtime.run_ready();
    gone.cancel();
    runtime.run_ready();

    const std::vector<gate_event> expected = {gate_event::full, gate_event::timed_out, gate_event::cancelled};
    BOOST_TEST((refusals == expected));
    BOOST_TEST(lane.statistics().full == 1U);
    BOOST_TEST(lane.statistics().timed_out == 1U);
    BOOST_TEST(lane.statistics().cancelled == 1U);
    BOOST_TEST(lane.statistics().entered == 1U);
}

// SEMANTICS 37
BOOST_AUTO_TEST_CASE(lets_a_waiter_go_on_when_its_limit_is_raised)
{
    gate lane({.running = 1, .waiting = 1, .queue_wait = 1s});
    guest first = visitor(lane, 100ms);
    guest second = visitor(lane, 100ms);
    runtime.run_ready();
    BOOST_TEST(lane.statistics().queued == 1);

    lane.resize(2, 0);
    runtime.run_ready();

    BOOST_TEST(lane.statistics().in_flight == 2);
    runtime.advance(100ms);
    BOOST_TEST(second.outcome() == "done");
    everything_is_back(lane);
}

// SEMANTICS 37
BOOST_AUTO_TEST_CASE(lets_holders_finish_when_its_limit_is_lowered)
{
    gate lane({.running = 2, .waiting = 1, .queue_wait = 1s});
    const auto holders = visitors(2, lane, 50ms);
    runtime.run_ready();

    lane.resize(1, 1);
    guest newcomer = visitor(lane, 10ms);
    runtime.run_ready();
    BOOST_TEST(newcomer.outcome() == "full"); // two slots, both in use
    runtime.advance(50ms);
    const auto next = visitors(2, lane, 10ms);
    runtime.run_ready();

    BOOST_TEST(lane.statistics().in_flight == 1);
    BOOST_TEST(lane.statistics().queued == 1);
    runtime.advance(20ms);
    everything_is_back(lane);
}

// SEMANTICS 38
BOOST_AUTO_TEST_CASE(leaves_those_that_wait_their_old_time)
{
    gate lane({.running = 1, .waiting = 2, .queue_wait = 100ms});
    auto inside = lane.enter();
    guest before = visitor(lane, 1ms);
    runtime.run_ready();

    lane.set_queue_wait(10ms);
    guest after = visitor(lane, 1ms);
    runtime.advance(10ms);

    BOOST_TEST(after.outcome() == "timed out");
    BOOST_TEST(before.waits());
    runtime.advance(90ms);
    BOOST_TEST(before.milliseconds() == 100);
}

// SEMANTICS 43
BOOST_AUTO_TEST_CASE(is_the_same_gate_for_the_same_name)
{
    static_assert(!std::is_copy_constructible_v<gate> && !std::is_move_constructible_v<gate>);
    fiber::gates lanes(
        {{.name = "read", .running = 1, .waiting = 0}, {.name = "write", .running = 1, .waiting = 0}});

    gate& read = lanes["read"];
    const auto inside = read.enter();

    BOOST_TEST(&lanes["read"] == &read);
    BOOST_TEST(outcome_of([&] { lanes["write"].enter(); }) == "done");
    guest other(runtime, [&] { lanes["read"].enter(); });
    runtime.run_ready();
    BOOST_TEST(other.outcome() == "full");
    BOOST_CHECK_THROW(lanes["raed"], heddle::config_error);
    BOOST_CHECK_THROW(fiber::gates({{.name = "a"}, {.name = "a"}}), heddle::config_error);
}

BOOST_AUTO_TEST_CASE(is_full_while_a_test_holds_it)
{
    gate lane({.running = 2, .waiting = 3});
    {
        const heddle::testing::hold busy(lane);
        BOOST_TEST(outcome_of([&] { lane.enter(); }) == "full");
    }
    everything_is_back(lane);
    BOOST_TEST(outcome_of([&] { lane.enter(); }) == "done");
}

BOOST_AUTO_TEST_SUITE_END()
