// What one of those that share a COMMIT does, and what becomes of its neighbours.
#include "group_fixture.hpp"

#define BOOST_TEST_MODULE group_neighbours
#include <boost/test/unit_test.hpp>

namespace {

struct neighbours : group_fixture
{
    neighbours()
    {
        writes.script("CREATE TABLE parents (id INTEGER PRIMARY KEY);"
                      "CREATE TABLE children (parent INTEGER NOT NULL REFERENCES parents "
                      "DEFERRABLE INITIALLY DEFERRED);"
                      "CREATE TABLE strict_children (parent INTEGER NOT NULL REFERENCES parents);"
                      "CREATE TRIGGER guard BEFORE INSERT ON items WHEN new.name = 'forbidden' "
                      "BEGIN SELECT RAISE(ROLLBACK, 'not this one'); END");
    }

    struct answers
    {
        std::string before;
        std::string own;
        std::string after;
    };

    // `f` between two that add a row each, in one group if all goes well.
    answers between_two(const body& f)
    {
        queue_starter();
        const auto& before = queue(adding("before"));
        const auto& own = queue(f);
        const auto& after = queue(adding("after"));
        runtime.advance(1ms);
        BOOST_TEST(is_at_rest());
        return {before, own, after};
    }
};

constexpr const char* both_stay = "starter before after";

} // namespace

BOOST_FIXTURE_TEST_SUITE(group_neighbours, neighbours)

BOOST_AUTO_TEST_CASE(a_body_that_throws_undoes_its_own_savepoint_only)
{
    const auto ended = between_two([](db::transaction& tx) {
        tx.run("INSERT INTO items (name) VALUES ('lost')");
        throw std::runtime_error("no");
    });

    BOOST_TEST(ended.before == "returned");
    BOOST_TEST(ended.own == "no");
    BOOST_TEST(ended.after == "returned");
    BOOST_TEST(names() == both_stay);
    BOOST_TEST(commits() == 2U); // the tables, and these
}

BOOST_AUTO_TEST_CASE(the_first_that_throws_ends_the_group_before_it_has_begun)
{
    const auto& first = queue([](db::transaction& tx) {
        tx.run("INSERT INTO items (name) VALUES ('lost')");
        fiber::sleep_for(1ms);
        throw std::runtime_error("no");
    });
    const auto& second = queue(adding("kept"));
    runtime.advance(1ms);

    BOOST_TEST(first == "no");
    BOOST_TEST(second == "returned");
    BOOST_TEST(names() == "kept");
}

BOOST_AUTO_TEST_CASE(the_last_that_throws_commits_the_others)
{
    queue_starter();
    const auto& before = queue(adding("before"));
    const auto& last = queue([](db::transaction&) { throw std::runtime_error("no"); });
    runtime.advance(1ms);

    BOOST_TEST(before == "returned");
    BOOST_TEST(last == "no");
    BOOST_TEST(names() == "starter before");
}

BOOST_AUTO_TEST_CASE(who_ended_because_of_what_a_neighbour_did_is_told_his_own_reason_when_that_is_down)
{
    const auto ended = between_two([](db::transaction& tx) { // UNIQUE
        tx.run("INSERT INTO items (name) VALUES ('starter')");
    });

    BOOST_TEST(ended.own == "constraint");
    BOOST_TEST(ended.after == "returned");
    BOOST_TEST(names() == both_stay);
}

BOOST_AUTO_TEST_CASE(a_body_may_roll_back_and_return)
{
    const auto ended = between_two([](db::transaction& tx) {
        tx.run("INSERT INTO items (name) VALUES ('lost')");
        tx.rollback();
    });

    BOOST_TEST(ended.own == "returned");
    BOOST_TEST(names() == both_stay);
}

BOOST_AUTO_TEST_CASE(nested_transactions_end_inside_of_their_member)
{
    const auto ended = between_two([](db::transaction& tx) {
        tx.nested([](db::transaction& inner) { inner.run("INSERT INTO items (name) VALUES ('inner')"); });
        static_cast<void>(ending_of([&] {
            tx.nested([](db::transaction& inner) {
                inner.run("INSERT INTO items (name) VALUES ('lost')");
                throw std::runtime_error("no");
            });
        }));
        tx.run("INSERT INTO items (name) VALUES ('outer')");
    });

    BOOST_TEST(ended.own == "returned");
    BOOST_TEST(names() == "starter before inner outer after");
}

BOOST_AUTO_TEST_CASE(a_nested_transaction_goes_with_its_member)
{
    const auto ended = between_two([](db::transaction& tx) {
        tx.nested([](db::transaction& inner) { inner.run("INSERT INTO items (name) VALUES ('inner')"); });
        throw std::runtime_error("no");
    });

    BOOST_TEST(ended.own == "no");
    BOOST_TEST(names() == both_stay);
}

BOOST_AUTO_TEST_CASE(a_constraint_is_its_members_alone)
{
    const auto ended =
        between_two([](db::transaction& tx) { tx.run("INSERT INTO items (name) VALUES ('x'), ('before')"); });

    BOOST_TEST(ended.own == "constraint");
    BOOST_TEST(names() == both_stay);
}

BOOST_AUTO_TEST_CASE(what_or_fail_leaves_behind_is_undone)
{
    const auto ended = between_two(
        [](db::transaction& tx) { tx.run("INSERT OR FAIL INTO items (name) VALUES ('x'), ('before')"); });

    BOOST_TEST(ended.own == "constraint");
    BOOST_TEST(names() == both_stay);
}

BOOST_AUTO_TEST_CASE(or_rollback_undoes_all_and_each_is_told)
{
    const auto ended = between_two(
        [](db::transaction& tx) { tx.run("INSERT OR ROLLBACK INTO items (name) VALUES ('before')"); });

    BOOST_TEST(endings[0] == "unavailable");
    BOOST_TEST(ended.before == "unavailable");
    BOOST_TEST(ended.own == "constraint");
    BOOST_TEST(ended.after == "returned");
    BOOST_TEST(names() == "after");
}

BOOST_AUTO_TEST_CASE(raise_rollback_undoes_all_and_each_is_told)
{
    const auto ended = between_two(adding("forbidden"));

    BOOST_TEST(ended.before == "unavailable");
    BOOST_TEST(ended.own == "constraint");
    BOOST_TEST(ended.after == "returned");
    BOOST_TEST(names() == "after");
}

BOOST_AUTO_TEST_CASE(those_that_are_undone_are_told_at_once)
{
    queue_starter();
    const auto& before = queue(adding("before"));
    const auto& own = queue([](db::transaction& tx) {
        static_cast<void>(
            ending_of([&] { tx.run("INSERT OR ROLLBACK INTO items (name) VALUES ('before')"); }));
        fiber::sleep_for(1s);
    });
    runtime.advance(1ms);

    BOOST_TEST(before == "unavailable");
    BOOST_TEST(own == "");
    runtime.advance(1s);
    BOOST_TEST(own == "transaction_done");
}

BOOST_AUTO_TEST_CASE(the_end_of_a_transaction_by_hand_is_refused)
{
    for (const auto* text :
         {"ROLLBACK", "COMMIT", "SAVEPOINT x", "RELEASE heddle_0", "ROLLBACK TO heddle_0"}) {
        const auto ended = between_two([&](db::transaction& tx) { tx.run(text); });
        BOOST_TEST(ended.own == "internal");
        BOOST_TEST(ended.before == "returned");
        BOOST_TEST(names() == both_stay);
        writes.run("DELETE FROM items");
    }
    const auto ended = between_two([](db::transaction& tx) {
        tx.script(
            "INSERT INTO items (name) VALUES ('lost'); ROLLBACK; INSERT INTO items (name) VALUES ('x')");
    });
    BOOST_TEST(ended.own == "internal");
    BOOST_TEST(names() == both_stay);
}

// RELEASE lets it pass; the COMMIT would fail for all.
BOOST_AUTO_TEST_CASE(a_deferred_foreign_key_is_its_members_alone)
{
    const auto ended = between_two([](db::transaction& tx) { tx.run("INSERT INTO children VALUES (7)"); });

    BOOST_TEST(ended.before == "returned");
    BOOST_TEST(ended.own == "constraint");
    BOOST_TEST(ended.after == "returned");
    BOOST_TEST(names() == both_stay);
    BOOST_TEST(reads.one<std::int64_t>("SELECT count(*) FROM children") == 0);
}

BOOST_AUTO_TEST_CASE(a_deferred_foreign_key_that_is_kept_in_the_end_is_fine)
{
    const auto ended = between_two([](db::transaction& tx) {
        tx.run("INSERT INTO children VALUES (7)");
        tx.run("INSERT INTO parents VALUES (7)");
    });

    BOOST_TEST(ended.own == "returned");
    BOOST_TEST(reads.one<std::int64_t>("SELECT count(*) FROM children") == 1);
}

// It would last until COMMIT.
BOOST_AUTO_TEST_CASE(a_setting_of_the_transaction_does_not_reach_the_next)
{
    for (int round = 0; round < 2; ++round) { // the second from the statement cache
        std::string early;
        queue_starter();
        queue([](db::transaction& tx) { tx.run("PRAGMA defer_foreign_keys = ON"); });
        const auto& after = queue([&](db::transaction& tx) {
            early = ending_of([&] { tx.run("INSERT INTO strict_children VALUES (7)"); });
        });
        runtime.advance(1ms);

        BOOST_TEST(early == "constraint");
        BOOST_TEST(after == "returned");
        writes.run("DELETE FROM items");
    }
}

BOOST_AUTO_TEST_CASE(tables_made_by_one_are_there_for_the_next_and_gone_with_their_member)
{
    std::string missing;
    queue_starter();
    queue([](db::transaction& tx) { tx.run("CREATE TABLE made (a)"); });
    queue([](db::transaction& tx) {
        tx.run("INSERT INTO made VALUES (1)");
        tx.run("CREATE TABLE lost (a)");
        throw std::runtime_error("no");
    });
    queue([&](db::transaction& tx) {
        tx.run("INSERT INTO made VALUES (2)");
        missing = message_of([&] { tx.run("INSERT INTO lost VALUES (1)"); });
    });
    runtime.advance(1ms);

    BOOST_TEST(contains(missing, "no such table"));
    BOOST_TEST(reads.one<std::int64_t>("SELECT sum(a) FROM made") == 2);
}

BOOST_AUTO_TEST_SUITE_END()
