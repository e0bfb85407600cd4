// What is done about a session that fails where SQLite hardly ever does.
#include "failing_driver.hpp"

#include <heddle/fiber/scope.hpp>

#define BOOST_TEST_MODULE failing
#include <boost/test/unit_test.hpp>

BOOST_FIXTURE_TEST_SUITE(failing, failing_fixture)

// SEMANTICS 101
BOOST_AUTO_TEST_CASE(a_failing_rollback_is_attached_to_the_bodys_error)
{
    session.fails = "rollback";
    std::string attached;
    try {
        lane.transaction([](db::transaction&) { throw db::error(heddle::kind::constraint, "the body's"); });
    } catch (const db::error& e) {
        attached = e.what() + std::string(" / ") + e.failed_undo();
    }

    BOOST_TEST(attached == "the body's / rollback: rollback fails");
    BOOST_TEST(session.calls == "begin rollback reset ");
}

// SEMANTICS 101
BOOST_AUTO_TEST_CASE(a_failing_rollback_is_attached_to_every_error_that_can_carry_it)
{
    session.fails = "rollback";
    std::string attached;
    try {
        lane.transaction([](db::transaction&) { throw heddle::deadline_exceeded(); });
    } catch (const heddle::error& e) {
        attached = e.failed_undo();
    }

    BOOST_TEST(attached == "rollback: rollback fails");
}

// SEMANTICS 101
BOOST_AUTO_TEST_CASE(the_bodys_error_is_thrown_whatever_its_type)
{
    session.fails = "rollback";

    BOOST_TEST(ending_of([&] {
                   lane.transaction([](db::transaction&) { throw std::runtime_error("mine"); });
               }) == "mine");
}

// SEMANTICS 96
BOOST_AUTO_TEST_CASE(a_cancel_and_the_bodys_own_rollback_roll_back_once)
{
    fiber::scope request{{}};

    const auto ending = ending_of([&] {
        lane.transaction([&](db::transaction& tx) {
            request.cancel();
            tx.rollback();
            request.check();
        });
    });

    BOOST_TEST(ending == "cancelled");
    BOOST_TEST(session.calls == "begin rollback reset ");
}

// SEMANTICS 28
BOOST_AUTO_TEST_CASE(permit_slot_and_connection_come_back_once_whatever_fails)
{
    for (const std::string call : {"begin", "commit", "rollback", "reset", "close"}) {
        session.fails = call;
        session.is_healthy = call != "close"; // so that it is closed at all
        const bool undoes = call == "rollback" || call == "close";

        ending_of([&] {
            lane.transaction([&](db::transaction&) {
                if (undoes)
                    throw std::runtime_error("no");
            });
        });
        runtime.run_ready();

        BOOST_TEST_CONTEXT(call)
        {
            BOOST_TEST(contains(session.calls, call));
            BOOST_TEST(lane.gate().turns().available() == 1);
            BOOST_TEST(lane.gate().slots().available() == 1);
            BOOST_TEST(database.pool_statistics().active == 0);
        }
        session.calls.clear();
    }
    session = {};

    BOOST_TEST(lane.transaction([](db::transaction&) { return 5; }) == 5);
}

// SEMANTICS 111
BOOST_AUTO_TEST_CASE(the_time_of_statements_is_told_from_the_rest_of_the_hold)
{
    session.statement_time = 7ms;
    std::string ending;
    runtime.spawn([&] {
        ending = ending_of([&] {
            lane.transaction([](db::transaction& tx) {
                tx.run("UPDATE one");
                fiber::sleep_for(20ms);
                tx.run("UPDATE two");
            });
        });
    });
    runtime.advance(50ms);

    BOOST_TEST(ending == "returned");
    BOOST_TEST((lane.statistics().statement.sum == 14ms));
    BOOST_TEST((lane.statistics().hold.sum == 34ms));
}

// SEMANTICS 103
BOOST_AUTO_TEST_CASE(an_unknown_commit_is_told_and_not_tried_again)
{
    session.fails = "unknown";
    fiber::scope request{{}};

    BOOST_TEST(ending_of([&] { lane.transaction([](db::transaction&) {}); }) == "outcome_unknown");

    BOOST_TEST(session.calls == "begin commit rollback reset ");
    BOOST_TEST(lane.statistics().unknown == 1U);
}

// SEMANTICS 108
BOOST_AUTO_TEST_CASE(a_conflict_is_retried_where_that_was_asked_for_and_with_a_bound)
{
    int runs = 0;
    const auto body = [&](db::transaction&) { return ++runs; };

    session.conflicts = 1;
    BOOST_TEST(ending_of([&] { lane.transaction(body); }) == "conflict");
    session.conflicts = 2;
    BOOST_TEST(lane.transaction({.retries = 2}, body) == 4);
    session.conflicts = 3;
    BOOST_TEST(ending_of([&] { lane.transaction({.retries = 2}, body); }) == "conflict");

    BOOST_TEST(runs == 7);
}

// SEMANTICS 102, 108: it would be written twice
BOOST_AUTO_TEST_CASE(a_body_that_has_committed_is_not_run_again)
{
    const auto ending = ending_of([&] {
        lane.transaction({.retries = 1}, [](db::transaction& tx) {
            tx.commit();
            throw db::error(heddle::kind::conflict, "afterwards");
        });
    });

    BOOST_TEST(ending == "conflict");
    BOOST_TEST(session.calls == "begin commit reset ");
    BOOST_TEST(lane.statistics().committed == 1U);
    BOOST_TEST(lane.statistics().failed == 0U);
}

// SEMANTICS 103
BOOST_AUTO_TEST_CASE(a_body_cannot_hide_that_its_outcome_is_unknown)
{
    session.fails = "unknown";
    const auto swallow = [](db::transaction& tx) { ending_of([&] { tx.commit(); }); };
    fiber::scope request{{}};

    BOOST_TEST(ending_of([&] { lane.transaction(swallow); }) == "outcome_unknown");
    BOOST_TEST(ending_of([&] {
                   lane.transaction({.retries = 1}, [&](db::transaction& tx) {
                       swallow(tx);
                       throw db::error(heddle::kind::conflict, "afterwards");
                   });
               }) == "conflict");

    BOOST_TEST(session.calls == "begin commit rollback reset begin commit rollback reset ");
    BOOST_TEST(lane.statistics().unknown == 2U);
    BOOST_TEST(request.has_unknown_commit());
    BOOST_TEST(!request.has_committed());
}

// SEMANTICS 80, 108
BOOST_AUTO_TEST_CASE(a_retry_that_does_not_begin_leaves_the_conflict_and_a_tidy_session)
{
    session.conflicts = 1;
    session.begins = 1;

    BOOST_TEST(ending_of([&] { lane.transaction({.retries = 5}, [](db::transaction&) {}); }) == "conflict");

    BOOST_TEST(session.calls == "begin commit rollback begin reset ");
    BOOST_TEST(lane.statistics().failed == 1U);
}

// SEMANTICS 86
BOOST_AUTO_TEST_CASE(a_failing_begin_runs_no_body_and_closes_a_dead_session)
{
    session.fails = "begin";
    session.is_healthy = false;
    bool began = false;

    BOOST_TEST(ending_of([&] { lane.transaction([&](db::transaction&) { began = true; }); }) ==
               "unavailable");
    runtime.run_ready();

    BOOST_TEST(!began);
    BOOST_TEST(session.calls == "begin close ");
    BOOST_TEST(database.pool_statistics().active == 0);
    BOOST_TEST(lane.statistics().not_begun == 1U);
}

BOOST_AUTO_TEST_CASE(a_session_that_cannot_be_reset_is_closed_and_the_result_stands)
{
    session.fails = "reset";

    BOOST_TEST(lane.transaction([](db::transaction&) { return 5; }) == 5);
    runtime.run_ready();

    BOOST_TEST(session.calls == "begin commit reset close ");
}

BOOST_AUTO_TEST_SUITE_END()
