// FAULTS F10, on each database: what requests are told whose deadline passes anywhere in their work is what
// the tables show.
#include "empty_database.hpp"

#include <heddle/base/log.hpp>
#include <heddle/db/database.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/fiber/task_group.hpp>
#include <heddle/http/router.hpp>

#define BOOST_TEST_MODULE truth
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace db = heddle::db;
namespace fiber = heddle::fiber;
namespace http = heddle::http;
namespace testing = heddle::testing;

using namespace std::chrono_literals;

namespace {

constexpr int requests = 400;
constexpr auto gap = 6ms;
constexpr auto earliest_deadline = gap / 2;
constexpr auto latest_deadline = gap * 3 / 2;

bool on_postgres()
{
    return std::getenv("HEDDLE_TEST_POSTGRES") != nullptr;
}

// SQLite has one writer: more would wait for it until their time is over.
int clients_at_once()
{
    return on_postgres() ? 4 : 1;
}

struct outcome
{
    unsigned status = 0;
    std::int64_t rows = 0;
};

// Both rows of a key, with time between them.
void write_two(db::lane& lane, std::string_view key)
{
    lane.transaction([&](db::transaction& tx) {
        tx.run("INSERT INTO halves (key, half) VALUES ($1, 'a')", key);
        fiber::sleep_for(gap);
        tx.run("INSERT INTO halves (key, half) VALUES ($1, 'b')", key);
    });
}

// Sends the requests from several clients, with deadlines from the earliest to the latest; the last ones have
// all the time they want.
void send(const http::router& app, std::vector<outcome>& outcomes)
{
    const int clients = clients_at_once();
    std::atomic<int> next = 0;
    fiber::task_group::run([&](fiber::task_group& tasks) {
        for (int client = 0; client < clients; ++client)
            tasks.start([&] {
                for (int i = next++; i < requests; i = next++) {
                    const bool has_time = i >= requests - clients;
                    const auto budget =
                        earliest_deadline + i * (latest_deadline - earliest_deadline) / requests;
                    const fiber::scope scope{
                        {.deadline = fiber::after(has_time ? fiber::duration(1min) : budget)}};
                    const auto answer = app(http::post("/two?key=" + std::to_string(i), ""));
                    outcomes[i].status = static_cast<unsigned>(answer.status());
                }
            });
    });
}

std::vector<outcome> outcomes_of(const std::shared_ptr<db::driver>& driver)
{
    std::vector<outcome> outcomes(requests);
    fiber::run({.workers = 2}, [&] {
        db::database database{{.driver = driver,
                               .pool = {.size = 5, .acquire_budget = 30s, .connect_budget = 30s},
                               .lanes = {{.name = "write", .running = 4, .queue_wait = 30s}}}};
        auto& lane = database.lane("write");
        lane.script("CREATE TABLE halves (key TEXT NOT NULL, half TEXT NOT NULL)");
        http::router app;
        app.post("/two", [&](const http::request& req) { write_two(lane, *req.query<std::string>("key")); });
        send(app, outcomes);
        for (int i = 0; i < requests; ++i)
            outcomes[i].rows =
                lane.one<std::int64_t>("SELECT count(*) FROM halves WHERE key = $1", std::to_string(i));
        database.close(5s);
    });
    return outcomes;
}

std::shared_ptr<db::driver> driver_over(const testing::temporary_directory& directory)
{
    if (!on_postgres())
        return db::sqlite({.path = directory.path("truth.db")});
    services::ask_blocking("sql DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    return db::postgres({.connection = services::postgres()});
}

} // namespace

// FAULTS F10
BOOST_AUTO_TEST_CASE(two_hundred_is_all_of_it_and_504_is_nothing)
{
    const heddle::log::capture quiet{[](heddle::log::level, std::string_view) {}};
    const testing::temporary_directory directory;

    const auto outcomes = outcomes_of(driver_over(directory));

    int done = 0;
    for (const auto& [status, rows] : outcomes) {
        BOOST_TEST((status == 204 || status == 503 || status == 504), status);
        BOOST_TEST(rows == (status == 204 ? 2 : 0), status);
        done += status == 204 ? 1 : 0;
    }
    BOOST_TEST_MESSAGE(done << " of " << requests << " were done");
    BOOST_TEST(done >= clients_at_once()); // those that had the time
    BOOST_TEST(done < requests);           // those whose time was over in the gap
}
