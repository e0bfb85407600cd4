// Many writers that share COMMITs under real threads, on a disk that fails, and with a log that must stay
// small.
#include "disk.hpp"
#include "group_writers.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

BOOST_FIXTURE_TEST_SUITE(group_disk_stress, database_for_writers)

BOOST_AUTO_TEST_CASE(answers_and_table_agree_on_a_disk_that_fails_now_and_then)
{
    const int rounds = repeats(20, 200);
    std::vector<answer> answers(static_cast<std::size_t>(writers * rounds) + 1, answer::none);
    std::vector<std::int64_t> there;
    std::string check;
    disk layer;
    with_database(options({.lock_budget = 30s}), [&](db::database& database) {
        std::atomic<int> working = writers;
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] {
                for (int i = 0; working > 0; ++i) {
                    auto& fault = i % 2 == 0 ? layer.is_full : layer.fails_to_sync;
                    fault = true;
                    fiber::sleep_for(1ms);
                    fault = false;
                    fiber::sleep_for(5ms);
                }
            });
            for (int writer = 0; writer < writers; ++writer)
                tasks.start([&, writer] {
                    for (int round = 0; round < rounds; ++round) {
                        const auto id = writer * rounds + round + 1;
                        answers[static_cast<std::size_t>(id)] =
                            add(database.lane("write"), id, deed::nothing, true, 1h);
                    }
                    --working;
                });
        });
        there = database.lane("read").query<std::int64_t>("SELECT id FROM ledger WHERE id > 0 ORDER BY id");
        check = database.lane("read").one<std::string>("PRAGMA integrity_check");
    });

    const auto is = [&](answer what) {
        return [&, what](std::int64_t id) { return answers[static_cast<std::size_t>(id)] == what; };
    };
    BOOST_TEST(std::count_if(there.begin(), there.end(), is(answer::committed)) ==
               std::count(answers.begin(), answers.end(), answer::committed));
    BOOST_TEST(std::count_if(there.begin(), there.end(), is(answer::refused)) == 0);
    BOOST_TEST(std::count(answers.begin(), answers.end(), answer::committed) > 0);
    BOOST_TEST(check == "ok");
}

BOOST_AUTO_TEST_CASE(the_log_has_room_for_one_group_beyond_its_limit)
{
    constexpr std::int64_t limit = 1024 * 1024;
    const int rounds = repeats(20, 200);
    std::uintmax_t largest = 0;
    std::atomic<int> committed = 0;
    with_database(
        options({.durability = db::durability::normal, .lock_budget = 30s, .log_limit = limit}),
        [&](db::database& database) {
            auto& lane = database.lane("write");
            lane.script("CREATE TABLE blobs (id INTEGER PRIMARY KEY, b BLOB)");
            fiber::task_group::run([&](fiber::task_group& tasks) {
                for (int writer = 0; writer < 16; ++writer)
                    tasks.start([&, writer] {
                        for (int round = 0; round < rounds; ++round) {
                            lane.transaction([&](db::transaction& tx) {
                                largest = std::max(largest,
                                                   std::filesystem::file_size(directory.path("test.db-wal")));
                                tx.run("INSERT OR REPLACE INTO blobs VALUES ($1, randomblob(30000))", writer);
                            });
                            ++committed;
                        }
                    });
            });
        });

    BOOST_TEST(committed == 16 * rounds);
    BOOST_TEST(largest > static_cast<std::uintmax_t>(limit / 2));
    BOOST_TEST(largest <
               static_cast<std::uintmax_t>(limit) + 16 * 50'000 + 100'000); // a page more for each table
}

BOOST_AUTO_TEST_SUITE_END()
