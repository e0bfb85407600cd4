// Requests that end while PostgreSQL works for them: their statements are stopped, and nobody else's.
#define BOOST_TEST_MODULE postgres

#include "postgres_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>

namespace {

using strings = std::vector<std::string>;

void sleep_there(db::lane& lane, double seconds)
{
    lane.for_each<db::row>([](const db::row&) {}, "SELECT pg_sleep($1)", seconds);
}

// How long `f` takes as a rule: the middle of several times, after a first that does not count.
double usual_milliseconds(const std::function<void()>& f)
{
    std::vector<double> times;
    f();
    for (int i = 0; i < 9; ++i) {
        const auto began = fiber::now();
        f();
        times.push_back(milliseconds_since(began));
    }
    std::nth_element(times.begin(), times.begin() + 4, times.end());
    return times[4];
}

std::int64_t number(const std::string& text)
{
    return std::atoll(text.c_str());
}

const char* backends = "sql SELECT count(*) FROM pg_stat_activity WHERE application_name = 'heddle'";
const char* sleepers = "sql SELECT count(*) FROM pg_stat_activity WHERE application_name = 'heddle' AND "
                       "state = 'active' AND query LIKE '%pg_sleep%'";

} // namespace

BOOST_FIXTURE_TEST_SUITE(postgres_cancel, postgres_fixture)

BOOST_AUTO_TEST_CASE(a_deadline_stops_the_statement_and_the_connection_goes_on)
{
    strings endings;
    std::vector<double> took;
    std::int64_t before = 0;
    std::int64_t after = 0;
    std::string running;
    pool.size = 1;
    server.stop_budget = 2s;
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        before = backend_of(lane);
        for (int i = 0; i < 5; ++i) {
            const auto began = fiber::now();
            endings.push_back(ending_of([&] { fiber::within(100ms, [&] { sleep_there(lane, 10); }); }));
            took.push_back(milliseconds_since(began));
        }
        running = services::ask(sleepers);
        after = backend_of(lane);
    });
    BOOST_TEST(endings == strings(5, "deadline"), boost::test_tools::per_element());
    BOOST_TEST(*std::max_element(took.begin(), took.end()) < 2000);
    BOOST_TEST(running == "0");
    BOOST_TEST(before == after);
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_CASE(a_cancelled_transaction_is_rolled_back)
{
    std::string ending;
    std::int64_t left = -1;
    with_items([&](db::lane& reads, db::lane& writes) {
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] {
                fiber::scope request{{}};
                fiber::task_group::run([&](fiber::task_group& inner) {
                    inner.start([&] {
                        fiber::sleep_for(50ms);
                        request.cancel();
                    });
                    inner.start([&] {
                        ending = ending_of([&] {
                            writes.transaction([](db::transaction& tx) {
                                tx.run("INSERT INTO items (name) VALUES ('lost')");
                                tx.for_each<db::row>([](const db::row&) {}, "SELECT pg_sleep(10)");
                            });
                        });
                    });
                });
            });
        });
        left = reads.one<std::int64_t>("SELECT count(*) FROM items");
    });
    BOOST_TEST(ending == "cancelled");
    BOOST_TEST(left == 0);
    BOOST_TEST(at_rest);
}

// SEMANTICS 106, 81
BOOST_AUTO_TEST_CASE(a_statement_timeout_of_the_bodys_own_is_told_by_its_code)
{
    failure timed_out;
    std::string kind;
    std::int64_t before = 0;
    std::int64_t after = 0;
    pool.size = 1;
    with_database([&](db::database& database) {
        auto& lane = database.lane("write");
        before = backend_of(lane);
        const auto body = [](db::transaction& tx) {
            tx.run("SET LOCAL statement_timeout = 100");
            tx.for_each<db::row>([](const db::row&) {}, "SELECT pg_sleep(2)");
        };
        timed_out = failure_in([&] { lane.transaction(body); });
        kind = ending_of([&] { lane.transaction(body); });
        after = backend_of(lane);
    });
    BOOST_TEST(timed_out.code == "57014");
    BOOST_TEST(kind == "deadline");
    BOOST_TEST(before == after);
}

// The server's own limits, for when the client cannot cancel.
BOOST_AUTO_TEST_CASE(a_transaction_tells_the_server_its_deadline)
{
    std::string limit;
    std::string none;
    with_database([&](db::database& database) {
        const auto ask = [](db::transaction& tx) {
            return tx.one<std::string>("SELECT setting FROM pg_settings WHERE name = 'statement_timeout'");
        };
        limit = fiber::within(10s, [&] { return database.lane("write").transaction(ask); });
        none = database.lane("write").transaction(ask);
    });
    BOOST_TEST(number(limit) > 1000);
    BOOST_TEST(number(limit) <= 10'100);
    BOOST_TEST(none == "300000");
}

BOOST_AUTO_TEST_CASE(a_deadline_that_is_far_away_leaves_the_ceiling_where_it_is)
{
    strings limits;
    const auto ask = [&] {
        with_database([&](db::database& database) {
            limits.push_back(fiber::within(24h * 365, [&] {
                return database.lane("write").transaction([](db::transaction& tx) {
                    return tx.one<std::string>(
                        "SELECT setting FROM pg_settings WHERE name = 'statement_timeout'");
                });
            }));
        });
    };
    ask();
    server.statement_ceiling = 0s;
    ask();
    server.statement_ceiling = 24h * 365; // longer than a setting can be
    ask();
    BOOST_TEST(limits == (strings{"300000", "0", "2147483647"}), boost::test_tools::per_element());
}

// SEMANTICS 89
BOOST_AUTO_TEST_CASE(a_database_that_closes_interrupts_what_still_runs)
{
    std::string ending;
    double took = 0;
    fiber::run({.workers = 2}, [&] {
        db::database database{{.driver = db::postgres(server), .pool = pool, .lanes = {{.name = "a"}}}};
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] { ending = ending_of([&] { sleep_there(database.lane("a"), 10); }); });
            tasks.start([&] {
                fiber::sleep_for(100ms);
                const auto began = fiber::now();
                database.close(100ms);
                took = milliseconds_since(began);
            });
        });
    });
    BOOST_TEST(ending == "unavailable");
    BOOST_TEST(took < 3000); // it would sleep for longer
}

// FAULTS F08
BOOST_AUTO_TEST_CASE(a_cancel_never_hits_the_next_borrower)
{
    constexpr int borrowers =
        4; // side by side, each over a connection of its own: most of the time they wait
    const int pairs = repeats(200, 2000) / borrowers;
    std::atomic<int> hit = 0;
    std::atomic<int> wrong = 0;
    std::atomic<int> stopped = 0;
    std::atomic<int> resting = 0;
    const auto meet = [&](db::lane& lane) {
        const auto usual = usual_milliseconds([&] { sleep_there(lane, 0.02); });
        for (int i = 0; i < pairs; ++i) { // from 2 ms too early to 2 ms too late
            const auto deadline =
                std::chrono::microseconds(static_cast<int>(1000 * usual) - 2'000 + 4'000 * i / pairs);
            const auto first = ending_of([&] { fiber::within(deadline, [&] { sleep_there(lane, 0.02); }); });
            const auto second = ending_of([&] { sleep_there(lane, 0.005); });
            stopped += first == "deadline" ? 1 : 0;
            wrong += first == "deadline" || first == "returned" || first == "overloaded" ? 0 : 1;
            hit += second == "returned" ? 0 : 1;
        }
    };
    pool.size = 1;
    fiber::run({.workers = 2}, [&] {
        fiber::task_group::run([&](fiber::task_group& tasks) {
            for (int i = 0; i < borrowers; ++i)
                tasks.start([&] {
                    db::database database{
                        {.driver = db::postgres(server), .pool = pool, .lanes = {{.name = "read"}}}};
                    meet(database.lane("read"));
                    resting += database.pool_statistics().active == 0 ? 1 : 0;
                    database.close(5s);
                });
        });
    });
    BOOST_TEST(hit == 0);
    BOOST_TEST(wrong == 0);
    BOOST_TEST(stopped > 0);
    BOOST_TEST(stopped < borrowers * pairs);
    BOOST_TEST(resting == borrowers);
}

// FAULTS F05
BOOST_AUTO_TEST_CASE(cancelled_queries_never_push_connections_over_the_limit)
{
    const auto lasts = std::chrono::seconds(repeats(2, 5));
    std::atomic<bool> over = false;
    std::int64_t most = 0;
    std::int64_t still_active = -1;
    std::atomic<int> stopped = 0;
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] {
                while (!over) {
                    most = std::max(most, number(services::ask(backends)));
                    fiber::sleep_for(50ms);
                }
            });
            tasks.start([&] {
                fiber::task_group::run([&](fiber::task_group& requests) {
                    for (const auto until = fiber::after(lasts); fiber::now() < until; fiber::sleep_for(10ms))
                        requests.start([&] {
                            stopped += ending_of([&] {
                                           fiber::within(50ms, [&] { sleep_there(lane, 5); });
                                       }) == "deadline";
                        });
                });
                over = true;
            });
        });
        fiber::sleep_for(1s);
        still_active = number(services::ask(sleepers)); // the requests of the last second were the last
    });
    BOOST_TEST(most <= 4);
    BOOST_TEST(most > 0);
    BOOST_TEST(still_active == 0);
    BOOST_TEST(stopped > 10);
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_SUITE_END()
