// The gate and all() in a random storm: limits hold at every instant, and everything comes back.
#include <heddle/base/error.hpp>
#include <heddle/fiber/all.hpp>
#include <heddle/fiber/gate.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>

#include "storm.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>

namespace fiber = heddle::fiber;
using fiber::gate_event;
using heddle::testing::high_water;
using heddle::testing::in_trouble;
using heddle::testing::repeats;
using heddle::testing::run_many;
using heddle::testing::weather;
using namespace std::chrono_literals;

namespace {

constexpr fiber::runtime_options four_workers{.workers = 4};

} // namespace

BOOST_AUTO_TEST_SUITE(gate_storm)

// SEMANTICS 31
BOOST_AUTO_TEST_CASE(keeps_its_limits_at_every_instant)
{
    constexpr int running_limit = 3;
    constexpr int waiting_limit = 5;
    high_water running;
    high_water admitted;
    std::int64_t slots = 0;
    std::int64_t turns = 0;
    fiber::gate_statistics end;
    fiber::run(four_workers, [&] {
        fiber::gate lane({.running = running_limit,
                          .waiting = waiting_limit,
                          .queue_wait = 300us,
                          .on_event = [&](gate_event event) {
                              if (event == gate_event::admitted)
                                  admitted.rise();
                              if (event == gate_event::timed_out || event == gate_event::cancelled)
                                  admitted.fall();
                          }});
        run_many(40, [&](int id) {
            weather random(id);
            for (int i = 0; i < repeats(100, 2'000); ++i)
                in_trouble(random, [&] {
                    const auto permit = lane.enter();
                    struct inside // falls before the permit is given back
                    {
                        high_water& running;
                        high_water& admitted;
                        ~inside()
                        {
                            running.fall();
                            admitted.fall();
                        }
                    } const counted{running, admitted};
                    running.rise();
                    random.pause();
                });
        });
        end = lane.statistics();
        slots = lane.slots().available();
        turns = lane.turns().available();
    });

    BOOST_TEST(running.most() == running_limit);
    BOOST_TEST(admitted.most() <= running_limit + waiting_limit);
    BOOST_TEST(admitted.level() == 0);
    BOOST_TEST(slots == running_limit + waiting_limit);
    BOOST_TEST(turns == running_limit);
    BOOST_TEST(end.in_flight == 0);
    BOOST_TEST(end.full > 0U);
    BOOST_TEST(end.timed_out > 0U);
    BOOST_TEST(end.cancelled > 0U);
}

// SEMANTICS 29: whoever gets a slot of a gate without a queue finds the turn free, so it never has to wait
BOOST_AUTO_TEST_CASE(gives_back_the_turn_before_the_slot)
{
    fiber::gate_statistics end;
    fiber::run(four_workers, [&] {
        fiber::gate narrow({.running = 1, .waiting = 0, .queue_wait = 0ms});
        run_many(8, [&](int) {
            for (int i = 0; i < repeats(20'000, 200'000); ++i) {
                try {
                    narrow.run([] {});
                } catch (const heddle::overloaded&) { // counted below
                }
                if (i % 64 == 0)
                    fiber::yield();
            }
        });
        end = narrow.statistics();
    });
    BOOST_TEST(end.entered > 0U);
    BOOST_TEST(end.timed_out == 0U);
}

// A release that meets the end of the head of the queue must wake the one behind it.
BOOST_AUTO_TEST_CASE(wakes_the_next_when_the_head_gives_up_at_the_same_moment)
{
    int wrong = 0;
    fiber::duration latest = 0ms;
    fiber::run(four_workers, [&] {
        fiber::gate lane({.running = 1, .waiting = 2, .queue_wait = 5s});
        for (int round = 0; round < repeats(200, 1'000); ++round) {
            weather random(round);
            const auto head_budget = 1ms + random.up_to(400us);
            fiber::time_point released{};
            fiber::time_point begun{};
            std::atomic<int> queued = 0;
            fiber::all(
                [&] {
                    auto permit = lane.enter();
                    queued = 1;
                    fiber::sleep_for(1200us);
                    released = fiber::now();
                },
                [&] {
                    while (queued < 1)
                        fiber::yield();
                    try {
                        fiber::within(head_budget, [&] { lane.run([] {}); });
                    } catch (const heddle::overloaded&) {
                    }
                },
                [&] {
                    while (lane.statistics().queued < 1 && lane.statistics().in_flight == 1)
                        fiber::yield();
                    lane.run([&] { begun = fiber::now(); });
                });
            latest = std::max(latest, begun - released);
            wrong += lane.slots().available() != 3 || lane.turns().available() != 1;
        }
    });
    BOOST_TEST(wrong == 0);
    BOOST_TEST(latest / 1ms < 100);
}

BOOST_AUTO_TEST_CASE(all_ends_every_child_whatever_fails)
{
    std::atomic<int> left = 0;
    std::atomic<int> wrong = 0;
    fiber::run(four_workers, [&] {
        run_many(20, [&](int id) {
            weather random(id);
            for (int i = 0; i < repeats(50, 1'000); ++i) {
                const int failing = random.below(4);
                std::atomic<int> mine = 0;
                const auto child = [&](int number) {
                    ++mine;
                    fiber::sleep_for(50us * number);
                    --mine;
                    if (number == failing)
                        throw number;
                };
                const auto counted = [&](int number) {
                    try {
                        child(number);
                    } catch (const heddle::cancelled&) {
                        --mine;
                        throw;
                    }
                };
                try {
                    fiber::all([&] { counted(0); }, [&] { counted(1); }, [&] { counted(2); });
                    wrong += failing != 3;
                } catch (int thrown) {
                    wrong += thrown != failing;
                }
                left += mine != 0;
            }
        });
    });
    BOOST_TEST(left == 0);
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()
