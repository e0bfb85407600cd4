// Leases that are held for too long: who is named, and what is taken back.
#include "pool_fixture.hpp"

#include <heddle/base/log.hpp>

#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>
#include <vector>

namespace fiber = heddle::fiber;
using heddle::testing::guest;
using heddle::testing::lease;
using heddle::testing::outcome_of;
using heddle::testing::pool;
using heddle::testing::pool_fixture;
using namespace std::chrono_literals;

namespace {

struct loan_fixture : pool_fixture
{
    std::vector<std::string> lines; // of the log
    heddle::log::capture capture{
        [this](heddle::log::level, std::string_view line) { lines.emplace_back(line); }};

    std::size_t lines_with(const std::string& part) const
    {
        std::size_t count = 0;
        for (const auto& line : lines)
            count += line.find(part) != std::string::npos;
        return count;
    }

    // Holds a connection for `time`, in a request of its own.
    guest request(pool& from, fiber::duration time, bool reclaimed = false)
    {
        return guest(runtime, [&from, time, reclaimed] {
            const fiber::scope scope({.request_id = "r-17", .route = "GET /slow"});
            const auto mine = from.acquire();
            std::optional<fiber::reclaimable> may_be_ended;
            if (reclaimed)
                may_be_ended.emplace(mine);
            fiber::sleep_for(time);
        });
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(loans, loan_fixture)

// SEMANTICS 87
BOOST_AUTO_TEST_CASE(names_who_holds_a_connection_for_too_long_once_and_says_when_it_is_back)
{
    pool one({.name = "p", .size = 1, .leak_after = 10s}, database.functions());
    const guest slow = request(one, 35s);

    runtime.advance(9s);
    BOOST_TEST(lines.empty());
    runtime.advance(20s);
    BOOST_TEST(lines.size() == 1U);
    BOOST_TEST(lines_with("GET /slow") == 1U);
    BOOST_TEST(lines_with("r-17") == 1U);
    BOOST_TEST(lines_with("10000") == 1U);
    runtime.advance(6s);

    BOOST_TEST(lines.size() == 2U);
    BOOST_TEST(lines_with("is back") == 1U);
    BOOST_TEST(lines_with("35000") == 1U);
    BOOST_TEST(slow.outcome() == "done");
    BOOST_TEST(database.closed.empty());
}

// SEMANTICS 87
BOOST_AUTO_TEST_CASE(names_what_the_borrower_does_now_and_not_what_another_did_before)
{
    pool one({.size = 1, .leak_after = 10s}, database.functions());
    const auto work = [&](std::string first, std::string second) {
        return guest(runtime, [&one, first, second] {
            const auto mine = one.acquire();
            if (!first.empty())
                mine.note_work(first);
            fiber::sleep_for(9s);
            if (!second.empty())
                mine.note_work(second);
            fiber::sleep_for(9s);
        });
    };

    const guest busy = work("SELECT before", "SELECT now");
    runtime.advance(20s);
    BOOST_TEST(lines_with("SELECT before") == 0U);
    BOOST_TEST(lines_with("SELECT now") == 2U);
    const guest idle = work({}, {});
    runtime.advance(20s);

    BOOST_TEST(lines.size() == 4U);
    BOOST_TEST(lines_with("SELECT") == 2U);
}

// SEMANTICS 87
BOOST_AUTO_TEST_CASE(measures_each_lease_from_its_own_beginning)
{
    pool one({.size = 1, .acquire_budget = 1min, .leak_after = 10s}, database.functions());
    const guest first = request(one, 8s);
    const guest second = request(one, 8s); // is handed the connection by the first

    runtime.advance(1min);

    BOOST_TEST(first.outcome() == "done");
    BOOST_TEST(second.outcome() == "done");
    BOOST_TEST(lines.empty());
}

// SEMANTICS 87
BOOST_AUTO_TEST_CASE(cancels_the_borrower_and_interrupts_the_connection_where_that_was_asked_for)
{
    pool one({.size = 1, .leak_after = 10s, .reclaim_after = 20s}, database.functions());
    const guest stuck = request(one, 1h, true);

    runtime.advance(19s);
    BOOST_TEST(stuck.waits());
    runtime.advance(1s);

    BOOST_TEST(stuck.outcome() == "cancelled");
    BOOST_TEST(stuck.milliseconds() == 20'000);
    BOOST_TEST(database.interrupted.size() == 1U);
    BOOST_TEST(database.closed.size() == 1U);
    BOOST_TEST(one.statistics().open == 0);
}

// SEMANTICS 87
BOOST_AUTO_TEST_CASE(uses_the_place_of_a_reclaimed_connection_only_after_it_was_closed)
{
    pool one({.size = 1, .acquire_budget = 1min, .reclaim_after = 20s}, database.functions());
    auto kept = std::optional(one.acquire());
    runtime.advance(1s);
    const guest next = borrower(one, 1ms);

    runtime.advance(30s);
    const auto use = outcome_of([&] { (*kept)->id = 0; });
    BOOST_TEST(use == "error: lease: used after it was returned or taken back");
    BOOST_TEST(next.waits());
    BOOST_TEST(one.statistics().open == 1);
    database.to_close = 900ms;
    kept.reset();
    runtime.advance(899ms);
    BOOST_TEST(next.waits());
    runtime.advance(1s);

    BOOST_TEST(next.outcome() == "done");
    BOOST_TEST(database.most_open == 1);
}

// SEMANTICS 87
BOOST_AUTO_TEST_CASE(cancels_nobody_who_has_given_it_back_in_time)
{
    pool one({.size = 1, .reclaim_after = 20s}, database.functions());
    const guest in_time = guest(runtime, [&] {
        {
            const auto mine = one.acquire();
            const fiber::reclaimable may_be_ended(mine);
            fiber::sleep_for(19s);
        }
        fiber::sleep_for(1min);
    });

    runtime.advance(2min);

    BOOST_TEST(in_time.outcome() == "done");
    BOOST_TEST(database.interrupted.empty());
    BOOST_TEST(lines.empty());
}

BOOST_AUTO_TEST_SUITE_END()
