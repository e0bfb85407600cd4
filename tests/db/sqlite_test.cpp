// What is SQLite's own: locks of other processes, statements that are stopped, what the authorizer refuses,
// the cache.
#include "database_fixture.hpp"

#include <heddle/fiber/scope.hpp>

#define BOOST_TEST_MODULE sqlite
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <thread>
#include <tuple>
#include <vector>

namespace {

constexpr const char* endless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

} // namespace

BOOST_FIXTURE_TEST_SUITE(sqlite, database_fixture)

BOOST_AUTO_TEST_CASE(is_set_up_for_readers_beside_a_writer_and_for_keeping_what_it_said)
{
    BOOST_TEST(std::filesystem::exists(directory.path("test.db-wal")));
    BOOST_TEST(reads.one<int>("PRAGMA foreign_keys") == 1);
    BOOST_TEST(reads.one<int>("PRAGMA trusted_schema") == 0);
    BOOST_TEST(writes.transaction([](db::transaction& tx) { return tx.one<int>("PRAGMA synchronous"); }) ==
               2);
}

// SEMANTICS 80
BOOST_AUTO_TEST_CASE(settings_that_would_reach_the_next_borrower_are_refused)
{
    for (const char* text :
         {"PRAGMA foreign_keys = OFF", "PRAGMA query_only = OFF", "PRAGMA journal_mode = DELETE",
          "PRAGMA wal_checkpoint", "ATTACH 'other.db' AS other", "CREATE TEMP TABLE t (id INTEGER)"})
        BOOST_TEST(contains(message_of([&] { writes.run(text); }), "next borrower"), text);
    BOOST_TEST(reads.query<std::tuple<std::string>>("SELECT name FROM pragma_table_info('items')").size() ==
               3U);
    writes.run("PRAGMA user_version = 4");
    BOOST_TEST(reads.one<int>("PRAGMA user_version") == 4);
}

BOOST_AUTO_TEST_CASE(one_call_runs_one_statement)
{
    BOOST_TEST(
        contains(message_of([&] { reads.one<int>("SELECT 1; SELECT 2"); }), "more than one statement"));
    BOOST_TEST(contains(message_of([&] { reads.one<int>(" -- nothing"); }), "no statement"));
    BOOST_TEST(contains(message_of([&] { reads.one<int>(std::string("SELECT 1\0", 9)); }), "NUL"));
    BOOST_TEST(reads.one<int>("SELECT 1; -- and a comment\n ;") == 1);
}

// FAULTS F23
BOOST_AUTO_TEST_CASE(a_statement_has_a_thousand_parameters_at_most)
{
    const auto insert = [&](std::size_t rows) {
        std::string sql = "INSERT INTO items (name) VALUES ($1)";
        std::vector<std::string> names{"1"};
        while (names.size() < rows) {
            names.push_back(std::to_string(names.size() + 1));
            sql += ", ($" + names.back() + ")";
        }
        std::vector<db::value> values;
        for (const auto& name : names)
            values.push_back(db::value::text(name));
        return ending_of(
            [&] { writes.transaction([&](db::transaction& tx) { tx.run_values(sql, values); }); });
    };

    BOOST_TEST(insert(1000) == "returned");
    BOOST_TEST(insert(1001) == "value");
    BOOST_TEST(count() == 1000);
}

BOOST_AUTO_TEST_CASE(a_statement_may_run_inside_itself)
{
    for (const char* name : {"a", "b"})
        add(name);
    int pairs = 0;
    const char* text = "SELECT id, name, price FROM items";

    reads.read([&](db::transaction& tx) {
        tx.for_each<item>([&](const item&) { tx.for_each<item>([&](const item&) { ++pairs; }, text); }, text);
    });

    BOOST_TEST(pairs == 4);
}

BOOST_AUTO_TEST_CASE(a_changed_schema_needs_no_restart)
{
    add("tea");
    BOOST_TEST(reads.one<item>("SELECT * FROM items").name == "tea");

    writes.script("ALTER TABLE items ADD COLUMN colour TEXT; UPDATE items SET price = 3; "
                  "ALTER TABLE items RENAME COLUMN name TO title; ALTER TABLE items ADD COLUMN name TEXT "
                  "DEFAULT 'new'");

    BOOST_TEST(reads.one<item>("SELECT * FROM items").name == "new");
}

// SEMANTICS 106. The progress handler asks whether the request has ended; here another thread ends it, because
// time stands still and the statement has the only worker.
BOOST_AUTO_TEST_CASE(the_requests_end_stops_a_statement_that_runs)
{
    fiber::scope request{{}};
    std::thread client{[&] {
        std::this_thread::sleep_for(50ms);
        request.cancel();
    }};
    const auto reading = ending_of([&] { reads.one<std::int64_t>(endless); });
    client.join();

    BOOST_TEST(reading == "cancelled");
    BOOST_TEST(is_at_rest());
}

BOOST_AUTO_TEST_CASE(a_stopped_update_undoes_its_transaction)
{
    add("tea");
    fiber::scope request{{}};
    std::thread client{[&] {
        std::this_thread::sleep_for(50ms);
        request.cancel();
    }};
    const auto writing = ending_of([&] {
        writes.transaction([](db::transaction& tx) {
            tx.run("INSERT INTO items (name) VALUES ('lost')");
            tx.run("UPDATE items SET price = (" + std::string(endless) + ")");
        });
    });
    client.join();

    BOOST_TEST(writing == "cancelled");
    fiber::shielded_scope after{1s};
    BOOST_TEST(reads.one<std::string>("SELECT group_concat(name) FROM items") == "tea");
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_opened_is_unavailable)
{
    db::database nowhere{{
        .driver = db::sqlite({.path = directory.path("missing/test.db")}),
        .pool = {.acquire_budget = 100ms},
        .lanes = {{.name = "only"}},
    }};
    std::string reading;
    std::string writing;
    start(reading, [&] { nowhere.lane("only").one<int>("SELECT 1"); });
    start(writing, [&] { nowhere.lane("only").script("CREATE TABLE t (id INTEGER)"); });

    runtime.advance(1s);

    BOOST_TEST(reading == "unavailable");
    BOOST_TEST(writing == "unavailable");
}

BOOST_AUTO_TEST_CASE(wrong_options_are_all_named)
{
    const auto message = message_of([&] {
        db::database{{
            .driver = db::sqlite({.path = ":memory:", .statements = 0}),
            .pool = {.size = 0, .connect_budget = 0ms},
            .lanes = {{.name = "a", .running = 0, .waiting = -1}, {.name = "a", .queue_wait = -1ms}, {}},
        }};
    });

    for (const char* part :
         {"sqlite.path", "sqlite.statements", "pool.size must be between 1 and 100000, not 0",
          "pool.connect_budget must be more than 0", "\"a\": running is 0", "\"a\": waiting is -1",
          "two of this name", "queue_wait is negative", "has no name"})
        BOOST_TEST(contains(message, part), part << " is not in: " << message);
    BOOST_CHECK_THROW(database.lane("nobody"), heddle::config_error);
    BOOST_TEST(&database.lane("read") == &reads);
}

BOOST_AUTO_TEST_SUITE_END()
