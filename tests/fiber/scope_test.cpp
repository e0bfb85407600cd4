#include <heddle/base/error.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/testing/runtime.hpp>

#define BOOST_TEST_MODULE scope
#include <boost/test/unit_test.hpp>

#include <string>

namespace fiber = heddle::fiber;
namespace testing = heddle::testing;
using namespace std::chrono_literals;

namespace {

struct scope_fixture
{
    testing::runtime runtime;
    std::string outcome; // how the fiber under test ended

    // Runs `f` on a fiber and notes how it ended.
    void start(std::function<void()> f)
    {
        runtime.spawn([this, f = std::move(f)] {
            try {
                f();
                outcome = "returned";
            } catch (const heddle::cancelled&) {
                outcome = "cancelled";
            } catch (const heddle::deadline_exceeded&) {
                outcome = "deadline";
            }
        });
        runtime.run_ready();
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(scope, scope_fixture)

BOOST_AUTO_TEST_CASE(a_sleep_ends_at_its_time_and_not_before)
{
    start([] { fiber::sleep_for(50ms); });
    runtime.advance(49ms);
    BOOST_TEST(outcome == "");
    runtime.advance(1ms);
    BOOST_TEST(outcome == "returned");
}

BOOST_AUTO_TEST_CASE(the_deadline_ends_a_sleep)
{
    start([] { fiber::within(20ms, [] { fiber::sleep_for(50ms); }); });
    runtime.advance(19ms);
    BOOST_TEST(outcome == "");
    runtime.advance(1ms);
    BOOST_TEST(outcome == "deadline");
}

BOOST_AUTO_TEST_CASE(an_inner_scope_cannot_outlive_the_outer_one)
{
    fiber::duration left{};
    start([&] {
        fiber::within(20ms, [&] {
            fiber::within(1h, [&] { left = fiber::scope::remaining(); });
            fiber::sleep_for(1h);
        });
    });
    BOOST_TEST((left == 20ms));
    runtime.advance(20ms);
    BOOST_TEST(outcome == "deadline");
}

BOOST_AUTO_TEST_CASE(cancel_ends_a_sleep_in_a_nested_scope)
{
    fiber::scope* outer = nullptr;
    start([&] {
        fiber::scope mine{{.request_id = "r1"}};
        outer = &mine;
        fiber::within(1h, [] { fiber::sleep_for(1h); });
    });
    BOOST_TEST(outcome == "");
    outer->cancel();
    runtime.run_ready();
    BOOST_TEST(outcome == "cancelled");
}

BOOST_AUTO_TEST_CASE(a_scope_that_is_cancelled_already_ends_the_next_wait)
{
    start([] {
        fiber::scope mine{{}};
        mine.cancel();
        fiber::sleep_for(1ms);
    });
    BOOST_TEST(outcome == "cancelled");
}

BOOST_AUTO_TEST_CASE(a_scope_opened_inside_a_cancelled_one_is_cancelled)
{
    start([] {
        fiber::scope mine{{}};
        mine.cancel();
        fiber::within(1h, [] { fiber::sleep_for(1ms); });
    });
    BOOST_TEST(outcome == "cancelled");
}

BOOST_AUTO_TEST_CASE(a_shield_is_not_reached_and_the_cancel_stays_pending)
{
    fiber::scope* outer = nullptr;
    bool shielded_done = false;
    start([&] {
        fiber::scope mine{{}};
        outer = &mine;
        fiber::shield(1s, [&] {
            fiber::sleep_for(10ms);
            shielded_done = true;
        });
        fiber::sleep_for(1h);
    });
    outer->cancel();
    runtime.advance(9ms);
    BOOST_TEST(!shielded_done);
    runtime.advance(1ms);
    BOOST_TEST(shielded_done);
    BOOST_TEST(outcome == "cancelled");
}

BOOST_AUTO_TEST_CASE(a_shield_has_its_own_deadline)
{
    start([] { fiber::within(1ms, [] { fiber::shield(30ms, [] { fiber::sleep_for(1h); }); }); });
    runtime.advance(29ms);
    BOOST_TEST(outcome == "");
    runtime.advance(1ms);
    BOOST_TEST(outcome == "deadline");
}

BOOST_AUTO_TEST_CASE(a_commit_in_a_shield_inside_is_remembered_outside)
{
    fiber::scope request{{}};
    fiber::within(1h, [] { fiber::shield(1s, [] { fiber::scope::current()->note_commit(); }); });
    BOOST_TEST(request.has_committed());
}

BOOST_AUTO_TEST_CASE(route_and_request_id_are_inherited_and_dumped)
{
    start([] {
        fiber::scope mine{{.request_id = "r-17", .route = "/orders/{id}"}};
        fiber::within(1h, [] { fiber::sleep_for(1h); });
    });
    runtime.advance(5ms);
    const std::string dump = fiber::dump_fibers();
    BOOST_TEST(dump == "/orders/{id} request=r-17 age=5ms waits=sleep\n");
}

BOOST_AUTO_TEST_CASE(an_exception_survives_that_its_fiber_sleeps_after_the_catch_block)
{
    int caught = 0;
    for (int i = 0; i < 100; ++i) {
        runtime.spawn([&caught, i] {
            std::exception_ptr kept;
            try {
                throw i;
            } catch (...) {
                kept = std::current_exception();
            }
            fiber::sleep_for(std::chrono::milliseconds(i % 7));
            try {
                std::rethrow_exception(kept);
            } catch (int mine) {
                caught += mine == i;
            }
        });
    }
    runtime.advance(10ms);
    BOOST_TEST(caught == 100);
}

BOOST_AUTO_TEST_CASE(a_test_that_waits_itself_moves_time_to_the_next_timer)
{
    const auto before = fiber::now();
    fiber::sleep_for(3h);
    BOOST_TEST((fiber::now() - before == 3h));
}

BOOST_AUTO_TEST_SUITE_END()
