// Requests that end in each position of a transaction that shares its COMMIT.
#include "group_fixture.hpp"

#define BOOST_TEST_MODULE group_endings
#include <boost/test/unit_test.hpp>

#include <memory>

namespace {

// Long enough for SQLite to ask whether to go on, many times.
constexpr const char* much =
    "INSERT INTO items (name) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
    "FROM n WHERE i < 20000) SELECT 'n' || i FROM n";
constexpr const char* long_read =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT sum(i) FROM n";

// Sessions without a lane, whose statements may begin after the end of their scope.
struct sessions : group_fixture
{
    std::shared_ptr<db::driver> driver = db::sqlite({.path = directory.path("test.db")});
    std::unique_ptr<db::session> first = driver->open(db::access::write);
    std::unique_ptr<db::session> second = driver->open(db::access::write);
    std::string first_ending;
    std::string second_ending;
    bool still_there = false;

    // `sql` runs in a cancelled scope, in the second of two, while the first waits for its COMMIT.
    void cancel_while_first_waits(const char* sql)
    {
        start(first_ending, [this] {
            first->begin({.access = db::access::write});
            run(*first, "INSERT INTO items (name) VALUES ('first')");
            fiber::sleep_for(1ms);
            first->commit();
        });
        runtime.run_ready();
        start(second_ending, [this, sql] {
            second->begin({.access = db::access::write});
            const auto failure = message_of([&] {
                fiber::scope ended{{}};
                ended.cancel();
                run(*second, sql);
            });
            still_there = second->in_transaction();
            second->rollback();
            if (!failure.empty())
                throw std::runtime_error("stopped");
        });
        runtime.advance(1ms);
    }

    static void run(db::session& session, const char* sql)
    {
        const auto rows = session.execute(sql, {});
        while (rows->next()) {
        }
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(group_endings)

BOOST_FIXTURE_TEST_CASE(before_its_turn_it_has_done_nothing, group_fixture)
{
    queue_starter();
    const auto& before = queue(adding("before"));
    queue(taking(1ms));
    const auto& ended = queue(adding("lost"), {}, 1ms + 500us);
    const auto& after = queue(adding("after"));
    runtime.advance(2ms);

    BOOST_TEST(before == "returned");
    BOOST_TEST(ended == "timed_out");
    BOOST_TEST(after == "returned");
    BOOST_TEST(names() == "starter before after");
    BOOST_TEST(is_at_rest());
}

// Members that count on whoever queues behind them are committed all the same.
BOOST_FIXTURE_TEST_CASE(when_all_who_queue_end_at_once_the_members_are_committed, group_fixture)
{
    queue_starter();
    const auto& before = queue([](db::transaction& tx) {
        tx.run("INSERT INTO items (name) VALUES ('before')");
        fiber::sleep_for(1ms);
    });
    for (int i = 0; i < 5; ++i)
        queue(adding("lost"), {}, 2ms);
    runtime.advance(2ms);

    BOOST_TEST(before == "returned");
    BOOST_TEST(names() == "starter before");
    BOOST_TEST(is_at_rest());
}

BOOST_FIXTURE_TEST_CASE(one_that_has_ended_when_its_turn_comes_passes_it_on, group_fixture)
{
    queue_starter();
    fiber::scope* request = nullptr;
    const auto& before = queue([&](db::transaction& tx) {
        tx.run("INSERT INTO items (name) VALUES ('before')");
        request->cancel();
    });
    std::string ended;
    start(ended, [&] {
        fiber::scope scope{{}};
        request = &scope;
        add("lost");
    });
    runtime.run_ready();
    const auto& after = queue(adding("after"));
    runtime.advance(1ms);

    BOOST_TEST(before == "returned");
    BOOST_TEST(ended == "cancelled");
    BOOST_TEST(after == "returned");
    BOOST_TEST(names() == "starter before after");
    BOOST_TEST(is_at_rest());
}

BOOST_FIXTURE_TEST_CASE(in_its_body_it_is_undone_to_its_savepoint, group_fixture)
{
    queue_starter();
    const auto& before = queue(adding("before"));
    const auto& ended = queue(
        [](db::transaction& tx) {
            tx.run("INSERT INTO items (name) VALUES ('lost')");
            fiber::sleep_for(1s);
        },
        {}, 5ms);
    const auto& after = queue(adding("after"));
    runtime.advance(5ms);

    BOOST_TEST(before == "returned");
    BOOST_TEST(ended == "deadline");
    BOOST_TEST(after == "returned");
    BOOST_TEST(names() == "starter before after");
    BOOST_TEST(is_at_rest());
}

BOOST_FIXTURE_TEST_CASE(at_the_end_of_its_body_it_is_undone_too, group_fixture)
{
    queue_starter();
    const auto& before = queue(adding("before"));
    const auto& ended = queue(
        [](db::transaction& tx) {
            tx.run("INSERT INTO items (name) VALUES ('lost')");
            fiber::shield(1s, [] { fiber::sleep_for(10ms); });
        },
        {}, 5ms);
    runtime.advance(11ms);

    BOOST_TEST(before == "returned");
    BOOST_TEST(ended == "deadline");
    BOOST_TEST(names() == "starter before");
}

BOOST_FIXTURE_TEST_CASE(after_its_release_it_reports_the_real_commit, group_fixture)
{
    queue_starter();
    fiber::scope* request = nullptr;
    std::string cancelled;
    start(cancelled, [&] {
        fiber::scope scope{{}};
        request = &scope;
        add("cancelled");
    });
    runtime.run_ready();
    const auto& late = queue(adding("late"), {}, 3ms);
    const auto& last = queue(taking(10ms));
    runtime.advance(2ms);
    request->cancel();
    runtime.advance(8ms);
    BOOST_TEST(late == "");
    BOOST_TEST(cancelled == "");

    runtime.advance(1ms);

    BOOST_TEST(late == "returned");
    BOOST_TEST(cancelled == "returned");
    BOOST_TEST(last == "returned");
    BOOST_TEST(names() == "starter cancelled late");
    BOOST_TEST(writes.statistics().committed == 1U + 4);
}

// To stop it would undo the neighbour.
BOOST_FIXTURE_TEST_CASE(a_statement_that_writes_is_not_stopped_while_others_wait, sessions)
{
    cancel_while_first_waits(much);

    BOOST_TEST(first_ending == "returned");
    BOOST_TEST(second_ending == "returned");
    BOOST_TEST(still_there);
    BOOST_TEST(names() == "first");
}

BOOST_FIXTURE_TEST_CASE(one_that_only_reads_is_stopped_and_nobody_else_minds, sessions)
{
    cancel_while_first_waits(long_read);

    BOOST_TEST(first_ending == "returned");
    BOOST_TEST(second_ending == "stopped");
    BOOST_TEST(still_there);
    BOOST_TEST(names() == "first");
}

BOOST_FIXTURE_TEST_CASE(one_that_writes_is_stopped_where_nobody_waits, sessions)
{
    first->begin({.access = db::access::write});
    const auto ending = ending_of([&] {
        fiber::scope ended{{}};
        ended.cancel();
        run(*first, much);
    });

    BOOST_TEST(ending == "cancelled");
    BOOST_TEST(!first->in_transaction());
    first->rollback();
}

BOOST_AUTO_TEST_SUITE_END()
