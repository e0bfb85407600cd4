// Reads that go to the server together: one round trip, the same results as one by one, and nothing left
// behind when one of them fails.
#include "postgres_fixture.hpp"

#include <heddle/db/reading.hpp>

#include <boost/test/unit_test.hpp>

#include <optional>
#include <tuple>

namespace {

using strings = std::vector<std::string>;

struct together_fixture : postgres_fixture
{
    together_fixture() { pool.size = 1; } // so that what is left behind meets the next
};

std::vector<db::reading<std::int64_t>> squares(std::int64_t n)
{
    std::vector<db::reading<std::int64_t>> wanted;
    for (std::int64_t i = 0; i < n; ++i)
        wanted.push_back(db::one<std::int64_t>("SELECT $1::BIGINT * $1", i));
    return wanted;
}

// Whether the only connection gives right answers, and is still the same one.
bool is_well(db::lane& lane, std::int64_t backend)
{
    const auto found = lane.together(squares(3));
    return backend_of(lane) == backend && found == std::vector<std::int64_t>{0, 1, 4};
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(postgres_together, together_fixture)

BOOST_AUTO_TEST_CASE(each_reading_gives_its_own_result)
{
    std::tuple<std::optional<std::string>, std::vector<std::int64_t>, std::string, std::optional<double>> got;
    with_items([&](db::lane& reads, db::lane& writes) {
        writes.run("INSERT INTO items (name, price) VALUES ('tea', 2.5), ('pot', NULL)");
        const auto ask = [&] {
            return reads.together(
                db::find<std::string>("SELECT name FROM items WHERE name = $1", std::string("tea")),
                db::query<std::int64_t>("SELECT id FROM items WHERE price < $1 OR price IS NULL ORDER BY id",
                                        3),
                db::one<std::string>("SELECT $1 || $2", std::string("a"), "b"),
                db::find<double>("SELECT price FROM items WHERE name = $1", "cup"));
        };
        ask(); // prepares them
        got = ask();
    });
    BOOST_TEST(std::get<0>(got).value() == "tea");
    BOOST_TEST(std::get<1>(got) == (std::vector<std::int64_t>{1, 2}), boost::test_tools::per_element());
    BOOST_TEST(std::get<2>(got) == "ab");
    BOOST_TEST(!std::get<3>(got));
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_CASE(known_statements_take_one_round_trip)
{
    std::vector<int> turns;
    server.connection = services::through_relay();
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        const auto count = [&](const auto& f) {
            const auto before = std::stoi(services::ask("turns"));
            fiber::within(60s, f);
            turns.push_back(std::stoi(services::ask("turns")) - before);
        };
        const auto twenty = [&] { lane.together(squares(20)); };
        const auto in_one_state = [&] {
            lane.read([](db::transaction& tx) { return tx.together(squares(20)); });
        };
        backend_of(lane); // opens the connection
        count(twenty);    // asks about the one text first
        count(twenty);
        count(in_one_state); // and COMMIT
    });
    BOOST_TEST(turns == (std::vector<int>{2, 1, 2}), boost::test_tools::per_element());
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_CASE(more_than_a_socket_holds_goes_in_portions)
{
    constexpr std::int64_t n = 700;
    bool right = true;
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        std::vector<db::reading<std::string>> wanted;
        for (std::int64_t i = 0; i < n; ++i) // 1.4 MB there, and 35 MB back
            wanted.push_back(db::one<std::string>("SELECT repeat($1, 25)", std::string(2000, 'a' + i % 26)));
        const auto found = fiber::within(60s, [&] { return lane.together(wanted); });
        right = found.size() == n;
        for (std::size_t i = 0; right && i < n; ++i)
            right = found[i] == std::string(50'000, 'a' + static_cast<int>(i % 26));
    });
    BOOST_TEST(right);
    BOOST_TEST(at_rest);
}

// Edges tell of input once: what the library has not read of it must not be waited for. (With TLS it is the
// same way; records larger than what libpq reads at once, PostgreSQL does not send.)
BOOST_AUTO_TEST_CASE(large_results_arrive_whole_with_and_without_tls)
{
    std::vector<std::string> wrong;
    for (const auto* how : {" sslmode=require", " sslmode=disable"}) {
        server.connection = services::setting("HEDDLE_TEST_TCP") + " host=127.0.0.1" + how;
        with_database([&](db::database& database) {
            auto& lane = database.lane("read");
            fiber::within(60s, [&] {
                std::size_t rows = 0;
                lane.for_each<std::string>(
                    [&](const std::string& text) { rows += text.size() == 150 + rows % 7 ? 1 : 1'000'000; },
                    "SELECT repeat('x', (150 + i % 7)::INTEGER) FROM generate_series(0, 59999) i");
                const auto [large, small] = lane.together(db::one<std::string>("SELECT repeat('y', 5000000)"),
                                                          db::one<std::int32_t>("SELECT 7"));
                if (rows != 60'000 || large != std::string(5'000'000, 'y') || small != 7)
                    wrong.emplace_back(how);
            });
        });
    }
    BOOST_TEST(wrong == strings{}, boost::test_tools::per_element());
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_CASE(the_first_that_fails_is_the_error_and_the_connection_goes_on)
{
    failure refused;
    strings endings;
    bool well = true;
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        const auto backend = backend_of(lane);
        const auto quotient = [](int by) { return db::one<std::int32_t>("SELECT 12 / $1::INTEGER", by); };
        for (int round = 0; round < 2; ++round) { // unknown and known statements
            refused = failure_in([&] { lane.together(quotient(3), quotient(0), quotient(0), quotient(4)); });
            well = well && is_well(lane, backend);
        }
        const auto ends = [&](const auto& f) {
            endings.push_back(ending_of(f));
            well = well && is_well(lane, backend);
        };
        const auto no_row = [] { return db::one<std::int32_t>("SELECT 1 WHERE false"); };
        const auto rows = [](int n) {
            return db::find<std::int32_t>("SELECT generate_series(1, $1::INTEGER)", n);
        };
        ends([&] { lane.together(rows(1), no_row(), quotient(1)); });
        ends([&] { lane.together(rows(2000), quotient(1)); });
        ends([&] {
            lane.together(quotient(1), db::one<std::int32_t>("SELECT $1::INTEGER", std::int64_t(1) << 40));
        });
        ends([&] { lane.together(quotient(1), db::one<std::int32_t>("SELECT no_such_column")); });
        ends([&] { lane.together(quotient(1), db::one<std::int32_t>("COMMIT")); });
        ends(
            [&] { lane.together(quotient(1), db::query<std::int32_t>("DELETE FROM pg_class RETURNING 1")); });
    });
    BOOST_TEST(refused.code == "22012");
    BOOST_TEST(contains(refused.message, "12 / $1"));
    BOOST_TEST(endings == (strings{"row_error", "row_error", "value", "internal", "internal", "internal"}),
               boost::test_tools::per_element());
    BOOST_TEST(well);
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_CASE(a_body_may_catch_the_failure_and_only_its_savepoint_is_undone)
{
    std::int64_t kept = 0;
    std::vector<std::int64_t> ids;
    with_items([&](db::lane&, db::lane& writes) {
        const auto add = [](const char* name) {
            return db::one<std::int64_t>("INSERT INTO items (name) VALUES ($1) RETURNING id", name);
        };
        writes.transaction([&](db::transaction& tx) {
            std::tie(ids.emplace_back()) = tx.together(add("first"));
            ending_of([&] {
                tx.nested([&](db::transaction& inner) {
                    inner.together(add("second"), add("first"), add("third"));
                });
            });
            const auto [third, fourth] = tx.together(add("third"), add("fourth"));
            ids.push_back(third);
            ids.push_back(fourth);
        });
        kept = writes.transaction([](db::transaction& tx) {
            return tx.one<std::int64_t>(
                "SELECT count(*) FROM items WHERE name IN ('first', 'third', 'fourth')");
        });
    });
    BOOST_TEST(kept == 3);
    BOOST_TEST(ids.size() == 3u);
    BOOST_TEST(at_rest);
}

// FAULTS F27
BOOST_AUTO_TEST_CASE(statements_gone_stale_are_prepared_anew)
{
    std::vector<std::size_t> columns;
    strings inside;
    with_items([&](db::lane& reads, db::lane& writes) {
        writes.run("INSERT INTO items (name, price) VALUES ('tea', 2.5)");
        const auto price = [] {
            return db::one<std::string>("SELECT price::TEXT FROM (SELECT * FROM items) i");
        };
        const auto all = [] {
            return db::query<std::tuple<std::int64_t, std::string>>(
                "SELECT id, price::TEXT FROM (SELECT * FROM items) i");
        };
        const auto ask = [&] {
            const auto [first, rows, last] = reads.together(price(), all(), price());
            columns.push_back(rows.size());
        };
        ask();
        services::ask("sql ALTER TABLE items ADD COLUMN colour TEXT, ALTER COLUMN price TYPE NUMERIC");
        ask();
        writes.run("DEALLOCATE ALL");
        ask();
        writes.script("DEALLOCATE ALL");
        ask();
    });
    BOOST_TEST(columns == (std::vector<std::size_t>{1, 1, 1, 1}), boost::test_tools::per_element());
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_CASE(the_cache_may_be_smaller_than_what_goes_together)
{
    server.statements = 2;
    bool right = true;
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        for (int round = 0; round < 3; ++round) {
            const auto [a, b, c, d, e] =
                lane.together(db::one<std::int32_t>("SELECT 1"), db::one<std::int32_t>("SELECT 2"),
                              db::one<std::int32_t>("SELECT 3"), db::one<std::int32_t>("SELECT 4"),
                              db::one<std::int32_t>("SELECT 5"));
            right = right && a == 1 && b == 2 && c == 3 && d == 4 && e == 5;
        }
    });
    BOOST_TEST(right);
    BOOST_TEST(at_rest);
}

// There statements have no names, so they go one by one.
BOOST_AUTO_TEST_CASE(behind_a_pooler_of_transactions_they_give_the_same)
{
    server.transaction_pooling = true;
    std::vector<std::int64_t> found;
    with_database([&](db::database& database) { found = database.lane("read").together(squares(4)); });
    BOOST_TEST(found == (std::vector<std::int64_t>{0, 1, 4, 9}), boost::test_tools::per_element());
    BOOST_TEST(at_rest);
}

// The server works at the second when the time is over; what was sent behind it is not run at all.
BOOST_AUTO_TEST_CASE(the_requests_end_ends_all_of_them)
{
    strings endings;
    bool well = true;
    double lasted = 0;
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        const auto backend = backend_of(lane);
        const auto nap = [](double s) { return db::query<std::string>("SELECT pg_sleep($1)::TEXT", s); };
        lane.together(nap(0), nap(0));
        const auto began = fiber::now();
        const auto ask = [&] { lane.together(nap(0), nap(30), nap(30)); };
        endings.push_back(ending_of([&] { fiber::within(100ms, ask); }));
        well = is_well(lane, backend);
        endings.push_back(ending_of([&] {
            fiber::within(100ms, [&] {
                lane.read([&](db::transaction& tx) { return tx.together(nap(0), nap(30), nap(30)); });
            });
        }));
        well = well && is_well(lane, backend);
        lasted = milliseconds_since(began);
    });
    BOOST_TEST(endings == (strings{"deadline", "deadline"}), boost::test_tools::per_element());
    BOOST_TEST(well);
    BOOST_TEST(lasted < 20'000); // and not for half a minute
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_SUITE_END()
