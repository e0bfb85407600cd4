// Transactions that share one COMMIT: when it comes, and what each of them is told.
#include "group_fixture.hpp"

#include <heddle/base/log.hpp>

#include "sqlite/writer.hpp"

#define BOOST_TEST_MODULE group
#include <boost/test/unit_test.hpp>

#include <array>
#include <memory>
#include <string_view>
#include <vector>

namespace {

struct small_groups : group_fixture
{
    small_groups() : group_fixture([](db::sqlite_options& options) { options.group_limit = 3; }) {}
};

struct no_groups : group_fixture
{
    no_groups() : group_fixture([](db::sqlite_options& options) { options.group_limit = 1; }) {}
};

struct fast_disk : group_fixture
{
    fast_disk()
        : group_fixture([](db::sqlite_options& options) { options.durability = db::durability::normal; })
    {
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(group)

BOOST_FIXTURE_TEST_CASE(those_that_queue_share_one_commit, group_fixture)
{
    queue_starter();
    for (const auto* name : {"a", "b", "c", "d"})
        queue(adding(name));
    runtime.advance(1ms);

    for (const auto& ending : endings)
        BOOST_TEST(ending == "returned");
    BOOST_TEST(commits() == 1U);
    BOOST_TEST(database.groups().members == 1U + 5);
    BOOST_TEST(names() == "starter a b c d");
    BOOST_TEST(is_at_rest());
}

// On one worker nobody is in the queue before whoever has the turn lets the others run: it does so now and
// then, and goes on with it where it pays.
BOOST_FIXTURE_TEST_CASE(writers_that_never_park_find_one_another, fast_disk)
{
    for (int writer = 0; writer < 5; ++writer)
        start(endings.emplace_back(), [this, writer] {
            for (int i = 0; i < 100; ++i)
                add(std::to_string(writer) + "." + std::to_string(i));
        });
    runtime.run_ready();

    BOOST_TEST(count() == 500);
    BOOST_TEST(commits() < 150U);
}

BOOST_FIXTURE_TEST_CASE(a_lone_writer_waits_for_nobody, group_fixture)
{
    const auto before = fiber::now();
    add("one");
    add("two");

    BOOST_TEST((fiber::now() == before));
    BOOST_TEST(commits() == 2U);
}

BOOST_FIXTURE_TEST_CASE(a_member_is_told_and_seen_after_the_commit_only, group_fixture)
{
    const auto& starter = queue_starter();
    const auto& first = queue(adding("a"));
    const auto& last = queue(taking(500us));
    runtime.advance(1ms + 400us);
    BOOST_TEST(starter + first + last == "");
    BOOST_TEST(names() == "");

    runtime.advance(100us);

    BOOST_TEST(first == "returned");
    BOOST_TEST(names() == "starter a");
}

BOOST_FIXTURE_TEST_CASE(a_member_that_has_waited_long_enough_is_committed_before_the_next_body, group_fixture)
{
    queue_starter();
    const auto& first = queue(adding("a"));
    queue(taking(2ms));
    const auto& last = queue(taking(50ms));
    runtime.advance(3ms);

    BOOST_TEST(first == "returned");
    BOOST_TEST(last == "");
    BOOST_TEST(commits() == 1U);
    runtime.advance(50ms);
    BOOST_TEST(last == "returned");
}

BOOST_FIXTURE_TEST_CASE(a_full_group_is_committed_before_the_next_body, small_groups)
{
    queue_starter();
    for (const auto* name : {"a", "b", "c", "d", "e"})
        queue(adding(name));
    runtime.advance(1ms);

    BOOST_TEST(commits() == 2U);
    BOOST_TEST(database.groups().members == 1U + 6);
}

BOOST_FIXTURE_TEST_CASE(groups_of_one_share_nothing, no_groups)
{
    queue_starter();
    for (const auto* name : {"a", "b", "c"})
        queue(adding(name));
    runtime.advance(1ms);

    BOOST_TEST(commits() == 4U);
    BOOST_TEST(names() == "starter a b c");
}

BOOST_FIXTURE_TEST_CASE(one_that_opts_out_runs_after_the_commit_and_alone, group_fixture)
{
    queue_starter();
    const auto& before = queue(adding("before"));
    const auto& alone = queue(taking(50ms), {.group = false});
    const auto& after = queue(adding("after"));
    runtime.advance(2ms);
    BOOST_TEST(before == "returned");
    BOOST_TEST(commits() == 1U);

    runtime.advance(50ms);

    BOOST_TEST(alone == "returned");
    BOOST_TEST(after == "returned");
    BOOST_TEST(commits() == 3U);
}

BOOST_FIXTURE_TEST_CASE(a_body_that_keeps_finished_ones_waiting_is_counted_and_named_once, group_fixture)
{
    std::vector<std::string> lines;
    const heddle::log::capture capture{
        [&](heddle::log::level, std::string_view line) { lines.emplace_back(line); }};
    for (int round = 0; round < 2; ++round) {
        queue([](db::transaction&) { fiber::sleep_for(1ms); });
        queue([](db::transaction&) {
            fiber::scope::current()->set_route("/slow");
            fiber::sleep_for(10ms);
        });
        runtime.advance(20ms);
    }

    BOOST_TEST(database.groups().held_up == 2U);
    BOOST_REQUIRE(lines.size() == 1U);
    BOOST_TEST(contains(lines[0], "/slow"));
}

BOOST_FIXTURE_TEST_CASE(a_long_body_that_nobody_waits_for_is_not_counted, group_fixture)
{
    queue(taking(10ms));
    queue(taking(1ms));
    runtime.advance(20ms);

    BOOST_TEST(database.groups().held_up == 0U);
}

BOOST_FIXTURE_TEST_CASE(closing_the_database_waits_for_the_members, group_fixture)
{
    queue_starter();
    const auto& first = queue(adding("a"));
    const auto& last = queue(taking(10ms));
    std::string closing;
    start(closing, [&] { database.close(1s); });
    runtime.advance(11ms);

    BOOST_TEST(first == "returned");
    BOOST_TEST(last == "returned");
    BOOST_TEST(closing == "returned");
}

// The checkpoint's connection needs the lock that an open group has.
BOOST_FIXTURE_TEST_CASE(who_wants_the_turn_for_a_checkpoint_gets_it_without_a_group, group_fixture)
{
    namespace lite = db::lite;
    const auto writer = std::make_shared<lite::writer>(db::sqlite_options{.path = directory.path("other.db")},
                                                       std::make_shared<fiber::semaphore>(1, "readers"));
    std::string member;
    start(member, [&] {
        auto turn = writer->take_turn(false);
        writer->connection().begin();
        fiber::sleep_for(1ms);
        writer->connection().finish();
        writer->finish(std::move(turn), false);
    });
    runtime.run_ready();
    std::string checkpoint;
    bool had_group = true;
    start(checkpoint, [&] {
        const auto turn = writer->try_take_turn_for(1s);
        had_group = writer->connection().is_open();
        fiber::sleep_for(1s);
    });
    runtime.advance(1ms);

    BOOST_TEST(!had_group);
    BOOST_TEST(member == "returned");
    BOOST_TEST(checkpoint == "");
    runtime.advance(1s);
}

BOOST_AUTO_TEST_SUITE_END()
