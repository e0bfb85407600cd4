// How many transactions of one small INSERT a second fibers get through SQLite, each with a COMMIT of its own
// or sharing them; with one fiber, how long one takes. Prints "TRANSACTIONS_PER_SECOND MEDIAN_US".
//
//   small_writes normal|full alone|shared FIBERS SECONDS
#include <heddle/db/database.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/task_group.hpp>
#include <heddle/testing/temporary_directory.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace db = heddle::db;
namespace fiber = heddle::fiber;
using namespace std::chrono_literals;

namespace {

struct wanted
{
    db::durability durability;
    bool shared;
    std::size_t fibers;
    std::chrono::seconds duration;
};

// Returns: how long each took.
std::vector<fiber::duration> write_until(fiber::time_point end, db::lane& lane, bool shared)
{
    std::vector<fiber::duration> took;
    while (fiber::now() < end) {
        const auto began = fiber::now();
        lane.transaction({.group = shared}, [&](db::transaction& tx) {
            tx.run("INSERT INTO notes (text) VALUES ($1)", "a few words that somebody has written");
        });
        took.push_back(fiber::now() - began);
    }
    return took;
}

void measure(const wanted& with)
{
    const heddle::testing::temporary_directory directory;
    db::database database{{
        .driver = db::sqlite({.path = directory.path("notes.db"), .durability = with.durability}),
        .pool = {.size = 2},
        .lanes = {{.name = "write", .running = 64, .waiting = 64, .queue_wait = 10s}},
    }};
    auto& lane = database.lane("write");
    lane.script("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");

    std::vector<std::vector<fiber::duration>> took(with.fibers);
    const auto began = fiber::now();
    fiber::task_group::run([&](fiber::task_group& tasks) {
        for (auto& mine : took)
            tasks.start([&] { mine = write_until(began + with.duration, lane, with.shared); });
    });
    const std::chrono::duration<double> lasted = fiber::now() - began;

    std::vector<fiber::duration> all;
    for (const auto& mine : took)
        all.insert(all.end(), mine.begin(), mine.end());
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), middle, all.end());
    const std::chrono::duration<double, std::micro> median = *middle;
    std::printf("%.0f %.1f\n", static_cast<double>(all.size()) / lasted.count(), median.count());
    database.close(1s);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 5) {
        std::fputs("usage: small_writes normal|full alone|shared FIBERS SECONDS\n", stderr);
        return EXIT_FAILURE;
    }
    const wanted with{
        .durability = argv[1] == std::string("full") ? db::durability::full : db::durability::normal,
        .shared = argv[2] == std::string("shared"),
        .fibers = std::stoul(argv[3]),
        .duration = std::chrono::seconds(std::stoi(argv[4])),
    };
    fiber::run({.workers = 2}, [&] { measure(with); });
    return EXIT_SUCCESS;
}
