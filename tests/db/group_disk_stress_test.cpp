// Many writers that share COMMITs under real threads, on a disk that fails, and with a log that must stay
// small.
#include "disk.hpp"
#include "group_writers.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

// False: there was none for a minute.
bool wait_for_more(const std::atomic<int>& counter)
{
    const int before = counter;
    const auto until = fiber::after(1min);
    while (counter == before && fiber::now() < until)
        fiber::sleep_for(100us);
    return counter != before;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(group_disk_stress, database_for_writers)

BOOST_AUTO_TEST_CASE(answers_and_table_agree_on_a_disk_that_fails_now_and_then)
{
    const int faults = repeats(6, 60);
    std::array<std::map<std::int64_t, answer>, writers> answers;
    std::vector<std::int64_t> there;
    std::string check;
    bool recovers = true;
    disk layer;
    with_database(options({.lock_budget = 30s}), [&](db::database& database) {
        auto& lane = database.lane("write");
        std::atomic<std::int64_t> last_id = 0;
        std::atomic<int> succeeded = 0;
        std::atomic<int> failed = 0;
        std::atomic<bool> over = false;
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] {
                for (int i = 0; i < faults && recovers; ++i) {
                    auto& fault = i % 2 == 0 ? layer.is_full : layer.fails_to_sync;
                    fault = true;
                    const bool met = wait_for_more(failed);
                    fault = false;
                    recovers = wait_for_more(succeeded) && met;
                }
                over = true;
            });
            for (auto& mine : answers)
                tasks.start([&] {
                    while (!over) {
                        const auto id = ++last_id;
                        mine[id] = add(lane, id, deed::nothing, true, 1h);
                        ++(mine[id] == answer::committed ? succeeded : failed);
                    }
                });
        });
        there = database.lane("read").query<std::int64_t>("SELECT id FROM ledger WHERE id > 0");
        check = database.lane("read").one<std::string>("PRAGMA integrity_check");
    });

    BOOST_TEST(recovers);
    const std::set<std::int64_t> present(there.begin(), there.end());
    std::map<answer, int> count;
    int lies = 0;
    for (const auto& mine : answers)
        for (const auto& [id, told] : mine) {
            ++count[told];
            lies += told != answer::unknown && (told == answer::committed) != present.contains(id) ? 1 : 0;
        }
    BOOST_TEST(lies == 0);
    BOOST_TEST(count[answer::refused] > 0);
    BOOST_TEST(count[answer::unknown] > 0);
    BOOST_TEST(count[answer::committed] > 0);
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
