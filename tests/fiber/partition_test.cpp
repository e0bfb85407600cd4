// Shares of one limit: guaranteed, borrowable, and never more than the total.
#include <heddle/fiber/partition.hpp>
#include <heddle/fiber/runtime.hpp>

#include "guest.hpp"

#define BOOST_TEST_MODULE partition
#include <boost/test/unit_test.hpp>

#include <vector>

namespace fiber = heddle::fiber;
using fiber::partition;
using heddle::testing::guest;
using heddle::testing::outcome_of;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t web = 0;
constexpr std::size_t batch = 1;

struct partition_fixture
{
    heddle::testing::runtime runtime;
    partition four{{.total = 4, .shares = {{"web", 3}, {"batch", 1}}, .queue_wait = 1s}};

    guest user(std::size_t share, fiber::duration time)
    {
        return guest(runtime, [this, share, time] {
            const auto mine = four.enter(share);
            fiber::sleep_for(time);
        });
    }

    std::vector<guest> users(int count, std::size_t share, fiber::duration time)
    {
        std::vector<guest> all;
        for (int i = 0; i < count; ++i)
            all.push_back(user(share, time));
        return all;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(partition_suite, partition_fixture)

// SEMANTICS 40
BOOST_AUTO_TEST_CASE(lends_an_idle_share_and_keeps_the_total)
{
    const auto borrowers = users(6, batch, 10ms);

    runtime.run_ready();

    BOOST_TEST(four.running(batch) == 4);
    BOOST_TEST(four.waiting() == 2U);
    runtime.advance(20ms);
    BOOST_TEST(four.running() == 0);
}

// SEMANTICS 40
BOOST_AUTO_TEST_CASE(gives_its_owner_a_lent_share_before_older_borrowers)
{
    const guest first = user(batch, 10ms);
    const auto borrowers = users(3, batch, 20ms);
    const auto queued = users(3, batch, 20ms);
    const guest owner = user(web, 10ms);
    runtime.run_ready();
    BOOST_TEST(four.running(web) == 0);

    runtime.advance(10ms);
    BOOST_TEST(four.running(web) == 1);
    BOOST_TEST(four.running() == 4);
    runtime.advance(10ms);

    BOOST_TEST(owner.outcome() == "done");
    runtime.advance(40ms);
    BOOST_TEST(four.running() == 0);
}

// SEMANTICS 40
BOOST_AUTO_TEST_CASE(always_has_a_guaranteed_permit_for_one_that_uses_its_share_only)
{
    const auto webs = users(3, web, 100ms);
    runtime.run_ready();

    const guest one = user(batch, 10ms);
    runtime.advance(10ms);

    BOOST_TEST(one.outcome() == "done");
    runtime.advance(90ms);
}

// SEMANTICS 40
BOOST_AUTO_TEST_CASE(refuses_one_that_waits_too_long_or_is_cancelled)
{
    const auto all = users(4, web, 2s);
    const guest late = user(batch, 1ms);
    guest gone = user(batch, 1ms);
    runtime.run_ready();

    gone.cancel();
    runtime.advance(1s);

    BOOST_TEST(late.outcome() == "timed out");
    BOOST_TEST(gone.outcome() == "cancelled");
    runtime.advance(1s);
    BOOST_TEST(four.running() == 0);
    BOOST_TEST(four.waiting() == 0U);
}

// SEMANTICS 40
BOOST_AUTO_TEST_CASE(refuses_to_promise_more_than_it_has)
{
    BOOST_TEST(outcome_of([] {
                   partition({.name = "p", .total = 2, .shares = {{"a", 1}, {"b", 2}}});
               }) == "refused: partition \"p\": share \"b\": the guarantees add up to more than the total");
    BOOST_TEST(outcome_of([] { partition({.name = "p", .total = 0}); }) ==
               "refused: partition \"p\": total must be at least 1, not 0; there are no shares");
}

BOOST_AUTO_TEST_SUITE_END()
