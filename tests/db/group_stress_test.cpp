// Many writers that share COMMITs under real threads, and do to one another what they can: the answers that
// they get and the table must agree.
#include "group_writers.hpp"

#define BOOST_TEST_MODULE group_stress
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <string>
#include <vector>

BOOST_FIXTURE_TEST_SUITE(group_stress, database_for_writers)

BOOST_AUTO_TEST_CASE(answers_and_table_agree_whatever_neighbours_do)
{
    const int rounds = repeats(40, 400);
    std::vector<answer> answers(static_cast<std::size_t>(writers * rounds) + 1, answer::none);
    std::vector<std::int64_t> there;
    std::string check;
    db::group_statistics groups;
    std::int64_t in_flight = 0;
    with_database(
        options({.durability = db::durability::normal, .lock_budget = 30s}), [&](db::database& database) {
            auto& lane = database.lane("write");
            fiber::task_group::run([&](fiber::task_group& tasks) {
                for (int writer = 0; writer < writers; ++writer)
                    tasks.start([&, writer] {
                        std::minstd_rand random(static_cast<unsigned>(writer) + 1);
                        for (int round = 0; round < rounds; ++round) {
                            const auto id = writer * rounds + round + 1;
                            // Most do nothing bad, or nobody would get anywhere.
                            const auto what =
                                random() % 4 == 0 ? deed(random() % unsigned(deed::count)) : deed::nothing;
                            const auto limit = random() % 4 == 0 ? std::chrono::microseconds(random() % 4000)
                                                                 : std::chrono::microseconds(1h);
                            answers[static_cast<std::size_t>(id)] =
                                add(lane, id, what, random() % 16 != 0, limit);
                        }
                    });
            });
            there =
                database.lane("read").query<std::int64_t>("SELECT id FROM ledger WHERE id > 0 ORDER BY id");
            check = database.lane("read").one<std::string>("PRAGMA integrity_check");
            groups = database.groups();
            in_flight = lane.statistics().gate.in_flight;
        });

    std::vector<std::int64_t> committed;
    for (std::size_t id = 1; id < answers.size(); ++id)
        if (answers[id] == answer::committed)
            committed.push_back(static_cast<std::int64_t>(id));
    BOOST_TEST(std::count(answers.begin(), answers.end(), answer::unknown) == 0);
    BOOST_TEST(committed == there, boost::test_tools::per_element());
    BOOST_TEST(committed.size() > answers.size() / 4);
    BOOST_TEST(groups.groups < groups.members);
    BOOST_TEST(check == "ok");
    BOOST_TEST(in_flight == 0);
}

BOOST_AUTO_TEST_CASE(many_writers_share_few_commits)
{
    const int rounds = repeats(20, 200);
    for (const auto durability : {db::durability::normal, db::durability::full}) {
        db::group_statistics groups;
        std::int64_t there = 0;
        with_database(options({.durability = durability, .lock_budget = 30s, .group_wait = 1s}),
                      [&](db::database& database) {
                          fiber::task_group::run([&](fiber::task_group& tasks) {
                              for (int writer = 0; writer < writers; ++writer)
                                  tasks.start([&, writer] {
                                      for (int round = 0; round < rounds; ++round)
                                          database.lane("write").run("INSERT INTO ledger VALUES ($1)",
                                                                     writer * rounds + round + 1);
                                  });
                          });
                          there = database.lane("read").one<std::int64_t>("SELECT count(*) - 1 FROM ledger");
                          groups = database.groups();
                          database.lane("write").run("DROP TABLE ledger");
                          database.lane("write").run("DROP TABLE children");
                      });

        BOOST_TEST(there == writers * rounds);
        BOOST_TEST(groups.members >= static_cast<std::uint64_t>(there));
        BOOST_TEST(groups.members > 2 * groups.groups); // some 60 of them, with nothing else on the machine
    }
}

// For ever, as far as this test goes: nobody waits for its end.
BOOST_AUTO_TEST_CASE(a_statement_without_end_is_stopped_though_others_wait)
{
    std::array<std::string, 2> ended;
    std::int64_t there = 0;
    // The first one's COMMIT waits for as long as the second one keeps it waiting.
    const auto patient = options({.durability = db::durability::normal, .lock_budget = 1s, .group_wait = 1h});
    with_database(patient, [&](db::database& database) {
        auto& lane = database.lane("write");
        const auto note = [](std::string& ending, auto&& f) {
            try {
                f();
                ending = "returned";
            } catch (const heddle::error& e) {
                ending = e.kind() == heddle::kind::deadline      ? "deadline"
                         : e.kind() == heddle::kind::unavailable ? "unavailable"
                                                                 : e.what();
            }
        };
        std::atomic<bool> begun = false;
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] {
                note(ended[0], [&] {
                    lane.transaction([&](db::transaction& tx) {
                        tx.run("INSERT INTO ledger VALUES (1)");
                        begun = true;
                        while (fiber::dump_fibers().find("the turn to write") == std::string::npos)
                            fiber::sleep_for(1ms);
                    });
                });
            });
            tasks.start([&] {
                while (!begun)
                    fiber::sleep_for(1ms);
                note(ended[1], [&] {
                    lane.transaction([](db::transaction& tx) {
                        fiber::within(10ms, [&] {
                            tx.run("INSERT INTO children WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i "
                                   "+ 1 "
                                   "FROM n) SELECT 0 FROM n WHERE i < 0");
                        });
                    });
                });
            });
        });
        there = database.lane("read").one<std::int64_t>("SELECT count(*) - 1 FROM ledger");
    });

    BOOST_TEST(ended[0] == "unavailable");
    BOOST_TEST(ended[1] == "deadline");
    BOOST_TEST(there == 0);
}

// As the pool does with a lease that it takes back.
BOOST_AUTO_TEST_CASE(an_interrupt_stops_a_statement_only_where_nobody_waits)
{
    std::array<std::string, 2> ended;
    fiber::run({.workers = 3}, [&] {
        const auto driver =
            db::sqlite({.path = directory.path("other.db"), .lock_budget = 30s, .group_wait = 1h});
        const auto first = driver->open(db::access::write);
        const auto second = driver->open(db::access::write);
        const auto run = [](db::session& session, const char* sql) {
            const auto rows = session.execute(sql, {});
            while (rows->next()) {
            }
        };
        const auto end_of = [&](const char* sql) -> std::string {
            try {
                run(*second, sql);
                return "returned";
            } catch (const heddle::error& e) {
                return e.kind() == heddle::kind::unavailable ? "stopped" : e.what();
            }
        };
        first->begin({.access = db::access::write});
        run(*first, "CREATE TABLE numbers (n INTEGER)");
        std::atomic<bool> over = false;
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] {
                while (!over) {
                    second->interrupt();
                    fiber::yield();
                }
            });
            tasks.start([&] {
                while (fiber::dump_fibers().find("the turn to write") == std::string::npos)
                    fiber::sleep_for(1ms);
                first->commit();
            });
            tasks.start([&] {
                second->begin({.access = db::access::write});
                ended[0] =
                    end_of("INSERT INTO numbers WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
                           "FROM n WHERE i < 300000) SELECT i FROM n");
                second->rollback();
                second->begin({.access = db::access::write});
                ended[1] =
                    end_of("INSERT INTO numbers WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
                           "FROM n) SELECT 0 FROM n WHERE i < 0");
                second->rollback();
                over = true;
            });
        });
    });

    BOOST_TEST(ended[0] == "returned");
    BOOST_TEST(ended[1] == "stopped");
}

BOOST_AUTO_TEST_SUITE_END()
