// all() and task_group: side by side, one failure ends the others, nobody is left behind.
#include <heddle/fiber/all.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/task_group.hpp>

#include "guest.hpp"

#define BOOST_TEST_MODULE all
#include <boost/test/unit_test.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace fiber = heddle::fiber;
using fiber::task_group;
using heddle::testing::guest;
using heddle::testing::outcome_of;
using namespace std::chrono_literals;

namespace {

struct all_fixture
{
    heddle::testing::runtime runtime;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(all_suite, all_fixture)

BOOST_AUTO_TEST_CASE(returns_every_result_in_order)
{
    int calls = 0;

    auto [number, nothing, owner] =
        fiber::all([] { return 7; }, [&] { ++calls; }, [] { return std::make_unique<std::string>("text"); });

    BOOST_TEST(number == 7);
    BOOST_TEST((nothing == std::monostate{}));
    BOOST_TEST(*owner == "text");
    BOOST_TEST(calls == 1);
}

BOOST_AUTO_TEST_CASE(runs_side_by_side)
{
    const guest both(runtime,
                     [] { fiber::all([] { fiber::sleep_for(30ms); }, [] { fiber::sleep_for(20ms); }); });

    runtime.advance(100ms);

    BOOST_TEST(both.milliseconds() == 30);
}

BOOST_AUTO_TEST_CASE(cancels_the_others_when_one_fails_and_waits_for_them)
{
    std::string sibling;
    bool sibling_had_ended = false;
    bool waited = false;
    const guest parent(runtime, [&] {
        const struct note
        {
            bool& ended;
            bool& seen;
            ~note() { seen = ended; }
        } when_it_throws{sibling_had_ended, waited};
        fiber::all(
            [] {
                fiber::sleep_for(10ms);
                throw std::runtime_error("first");
            },
            [&] {
                sibling = outcome_of([] { fiber::sleep_for(1s); });
                fiber::shield(1s, [] { fiber::sleep_for(5ms); });
                sibling_had_ended = true;
                throw std::runtime_error("second");
            });
    });

    runtime.advance(1s);

    BOOST_TEST(parent.outcome() == "error: first");
    BOOST_TEST(parent.milliseconds() == 15);
    BOOST_TEST(sibling == "cancelled");
    BOOST_TEST(waited);
}

BOOST_AUTO_TEST_CASE(does_not_start_what_has_failed_already)
{
    bool ran = false;

    const auto outcome =
        outcome_of([&] { fiber::all([] { throw std::runtime_error("at once"); }, [&] { ran = true; }); });

    BOOST_TEST(outcome == "error: at once");
    BOOST_TEST(!ran);
}

BOOST_AUTO_TEST_CASE(passes_on_what_is_no_exception)
{
    BOOST_CHECK_THROW(fiber::all([] { throw 42; }), int);
    BOOST_TEST(runtime.fibers() == 0);
}

BOOST_AUTO_TEST_CASE(ends_with_the_scope_around_it)
{
    int ended = 0;
    const auto child = [&] {
        if (outcome_of([] { fiber::sleep_for(1s); }) == "cancelled")
            ++ended;
        fiber::scope::check_current();
    };
    guest parent(runtime, [&] { fiber::all(child, child); });
    runtime.run_ready();

    parent.cancel();
    runtime.run_ready();

    BOOST_TEST(parent.outcome() == "cancelled");
    BOOST_TEST(ended == 2);
}

BOOST_AUTO_TEST_CASE(gives_its_children_the_deadline_and_the_request)
{
    std::string id;
    fiber::duration left = 0ms;
    const guest parent(
        runtime,
        [&] {
            const fiber::scope request({.request_id = "r-1"});
            fiber::all([&] {
                id = fiber::scope::current()->request_id();
                left = fiber::scope::remaining();
                fiber::sleep_for(1s);
            });
        },
        50ms);

    runtime.advance(50ms);

    BOOST_TEST(parent.outcome() == "deadline");
    BOOST_TEST(parent.milliseconds() == 50);
    BOOST_TEST(id == "r-1");
    BOOST_TEST((left == 50ms));
}

BOOST_AUTO_TEST_CASE(tells_the_parent_of_a_commit)
{
    fiber::scope request({});

    fiber::all([] { fiber::scope::current()->note_commit(); });

    BOOST_TEST(request.has_committed());
}

BOOST_AUTO_TEST_CASE(runs_a_number_of_tasks_known_at_run_time)
{
    std::vector<int> squares(10);
    const guest parent(runtime, [&] {
        task_group::run([&](task_group& tasks) {
            for (int i = 0; i < 10; ++i)
                tasks.start([&squares, i] {
                    fiber::sleep_for(5ms);
                    squares[static_cast<std::size_t>(i)] = i * i;
                });
        });
    });

    runtime.advance(5ms);

    BOOST_TEST(parent.outcome() == "done");
    BOOST_TEST(squares == (std::vector<int>{0, 1, 4, 9, 16, 25, 36, 49, 64, 81}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(waits_for_its_tasks_when_its_own_body_fails)
{
    std::string task;
    const guest parent(runtime, [&] {
        task_group::run([&](task_group& tasks) {
            tasks.start([&] { task = outcome_of([] { fiber::sleep_for(1s); }); });
            fiber::sleep_for(10ms);
            throw std::runtime_error("body");
        });
    });

    runtime.advance(10ms);

    BOOST_TEST(parent.outcome() == "error: body");
    BOOST_TEST(task == "cancelled");
}

BOOST_AUTO_TEST_CASE(lets_tasks_start_tasks)
{
    int leaves = 0;

    task_group::run([&](task_group& tasks) {
        for (int i = 0; i < 3; ++i)
            tasks.start([&] {
                for (int j = 0; j < 3; ++j)
                    tasks.start([&] { ++leaves; });
            });
    });

    BOOST_TEST(leaves == 9);
}

// What a task captured refers to the frame that waits; so it goes before the wait ends.
BOOST_AUTO_TEST_CASE(destroys_a_task_before_the_wait_for_it_ends)
{
    const auto shared = std::make_shared<int>(1);

    task_group::run([&](task_group& tasks) { tasks.start([shared] { fiber::yield(); }); });

    BOOST_TEST(shared.use_count() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
