// What a handler leaves open or failed: rolled back before the next borrower comes, and in the log once.
#include "postgres_fixture.hpp"

#include <heddle/base/log.hpp>
#include <heddle/http/message.hpp>
#include <heddle/http/reply.hpp>
#include <heddle/http/router.hpp>

#include <boost/test/unit_test.hpp>

#include <mutex>
#include <string>
#include <vector>

namespace http = heddle::http;

namespace {

struct left
{
    unsigned status = 0;
    std::vector<std::string> lines; // of the log, for this request
    std::string next;               // how a request ended that came after it
    std::string items;
    bool kept = false; // the connection
};

struct left_open_fixture : postgres_fixture
{
    std::mutex mutex; // guards `lines`: any worker may log
    std::vector<std::string> lines;
    heddle::log::capture capture{[this](heddle::log::level, std::string_view line) {
        const std::lock_guard guard(mutex);
        lines.emplace_back(line);
    }};

    left_open_fixture() { pool.size = 1; }

    // One request to `handler`, whose lane has the only connection.
    left leave(const std::function<void(db::lane&)>& handler)
    {
        left seen;
        with_items([&](db::lane& reads, db::lane& writes) {
            http::router app;
            app.post("/leave", [&](const http::request&) { handler(writes); });
            const auto before = backend_of(reads);
            seen.status = static_cast<unsigned>(app(http::post("/leave", "")).status());
            seen.next = ending_of([&] { writes.run("INSERT INTO items (name) VALUES ('next')"); });
            seen.items = reads.one<std::string>("SELECT string_agg(name, ',') FROM items");
            seen.kept = backend_of(reads) == before;
        });
        const std::lock_guard guard(mutex);
        for (const auto& line : lines)
            if (!contains(line, "the lanes let more operations run"))
                seen.lines.push_back(line);
        return seen;
    }
};

void insert(db::transaction& tx)
{
    tx.run("INSERT INTO items (name) VALUES ('lost')");
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(postgres_left_open, left_open_fixture)

// SEMANTICS 79, FAULTS F06
BOOST_AUTO_TEST_CASE(a_transaction_that_has_failed_is_rolled_back)
{
    const auto seen = leave([](db::lane& writes) {
        writes.transaction([](db::transaction& tx) {
            insert(tx);
            ending_of([&] { insert(tx); }); // which fails, and is swallowed
        });
    });
    BOOST_TEST(seen.status == 500U);
    BOOST_REQUIRE(seen.lines.size() == 1U);
    BOOST_TEST(contains(seen.lines[0], "the transaction has failed"), seen.lines[0]);
    BOOST_TEST(seen.next == "returned");
    BOOST_TEST(seen.items == "next");
    BOOST_TEST(seen.kept);
    BOOST_TEST(at_rest);
}

// SEMANTICS 79, FAULTS F06
BOOST_AUTO_TEST_CASE(a_transaction_that_a_script_has_opened_is_ended_with_its_connection)
{
    const auto seen = leave([](db::lane& writes) {
        ending_of([&] { writes.script("ROLLBACK; BEGIN; INSERT INTO items (name) VALUES ('lost')"); });
        throw std::runtime_error("told to");
    });
    BOOST_TEST(seen.status == 500U);
    BOOST_REQUIRE(seen.lines.size() == 1U);
    BOOST_TEST(seen.next == "returned");
    BOOST_TEST(seen.items == "next");
    BOOST_TEST(!seen.kept);
    BOOST_TEST(at_rest);
}

// SEMANTICS 79, FAULTS F06
BOOST_AUTO_TEST_CASE(a_transaction_whose_body_throws_is_rolled_back)
{
    const auto seen = leave([](db::lane& writes) {
        writes.transaction([](db::transaction& tx) {
            insert(tx);
            tx.one<int>("SELECT id FROM items FOR UPDATE");
            throw std::runtime_error("told to");
        });
    });
    BOOST_TEST(seen.status == 500U);
    BOOST_REQUIRE(seen.lines.size() == 1U);
    BOOST_TEST(contains(seen.lines[0], "told to"), seen.lines[0]);
    BOOST_TEST(seen.next == "returned");
    BOOST_TEST(seen.items == "next");
    BOOST_TEST(seen.kept);
    BOOST_TEST(at_rest);
}

// SEMANTICS 79, 104, FAULTS F06
BOOST_AUTO_TEST_CASE(a_transaction_that_a_statement_would_open_is_not)
{
    const auto seen = leave([](db::lane& writes) {
        writes.transaction([](db::transaction& tx) {
            insert(tx);
            tx.run("BEGIN");
        });
    });
    BOOST_TEST(seen.status == 500U);
    BOOST_REQUIRE(seen.lines.size() == 1U);
    BOOST_TEST(contains(seen.lines[0], "BEGIN"), seen.lines[0]);
    BOOST_TEST(seen.next == "returned");
    BOOST_TEST(seen.items == "next");
    BOOST_TEST(seen.kept);
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_SUITE_END()
