// What a lane and its pool of eight add to PostgreSQL's own point read: pgbench's statement, on pgbench's
// table, from fibers, without HTTP. Prints transactions per second.
//
//   point_reads CONNECTION SECONDS FIBERS WORKERS ROWS
#include <heddle/db/database.hpp>
#include <heddle/db/postgres.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/task_group.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace db = heddle::db;
namespace fiber = heddle::fiber;
using namespace std::chrono_literals;

namespace {

struct wanted
{
    std::string connection;
    std::chrono::seconds duration;
    int fibers;
    unsigned workers;
    std::int32_t rows;
};

// Returns: how many.
std::int64_t read_until(fiber::time_point end, db::lane& lane, std::int32_t rows, unsigned seed)
{
    std::minstd_rand random(seed);
    std::uniform_int_distribution<std::int32_t> account(1, rows);
    std::int64_t count = 0;
    for (; fiber::now() < end; ++count)
        lane.one<std::int32_t>("SELECT abalance FROM pgbench_accounts WHERE aid = $1", account(random));
    return count;
}

void measure(const wanted& with)
{
    constexpr std::int64_t connections = 8;
    db::database database{{
        .driver = db::postgres({.connection = with.connection}),
        .pool = {.size = connections},
        .lanes = {{.name = "read", .running = connections, .waiting = with.fibers, .queue_wait = 5s}},
    }};
    auto& lane = database.lane("read");
    std::vector<std::int64_t> counts(static_cast<std::size_t>(with.fibers));
    const auto everybody = [&](fiber::duration lasts) {
        const auto end = fiber::now() + lasts;
        fiber::task_group::run([&](fiber::task_group& tasks) {
            for (std::size_t i = 0; i < counts.size(); ++i)
                tasks.start(
                    [&, i] { counts[i] = read_until(end, lane, with.rows, static_cast<unsigned>(i + 1)); });
        });
    };
    everybody(500ms); // opens the connections, prepares the statement
    const auto began = fiber::now();
    everybody(with.duration);
    const std::chrono::duration<double> lasted = fiber::now() - began;
    std::int64_t all = 0;
    for (const auto count : counts)
        all += count;
    std::printf("%.0f\n", static_cast<double>(all) / lasted.count());
    database.close(1s);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 6) {
        std::fputs("usage: point_reads CONNECTION SECONDS FIBERS WORKERS ROWS\n", stderr);
        return EXIT_FAILURE;
    }
    const wanted with{.connection = argv[1],
                      .duration = std::chrono::seconds(std::stoi(argv[2])),
                      .fibers = std::stoi(argv[3]),
                      .workers = static_cast<unsigned>(std::stoul(argv[4])),
                      .rows = std::stoi(argv[5])};
    fiber::run({.workers = with.workers}, [&] { measure(with); });
    return EXIT_SUCCESS;
}
