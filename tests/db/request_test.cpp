// One request, some operations: what the client is told when they end early, late, or only in part.
#include "database_fixture.hpp"
#include "stranger.hpp"

#include <heddle/base/log.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/http/message.hpp>
#include <heddle/http/problem.hpp>
#include <heddle/http/reply.hpp>
#include <heddle/http/router.hpp>
#include <heddle/testing/hold.hpp>

#define BOOST_TEST_MODULE request
#include <boost/test/unit_test.hpp>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace http = heddle::http;

namespace {

struct told
{
    unsigned status = 0;
    std::string type;
    bool come_back = false;
};

struct request_fixture : database_fixture
{
    std::vector<std::string> lines; // of the log
    heddle::log::capture capture{
        [this](heddle::log::level, std::string_view line) { lines.emplace_back(line); }};
    http::router app;

    request_fixture()
    {
        app.post("/one", [this](const http::request&) { add("one"); });
        app.post("/two", [this](const http::request&) {
            add("first");
            fiber::sleep_for(50ms);
            database.lane("report").transaction([](db::transaction& tx) {
                tx.run("INSERT INTO items (name) VALUES ('second')");
                fiber::sleep_for(100ms);
            });
        });
        app.post("/leave/{statement}", [this](const http::request& req) {
            const auto statement = req.path<std::string>("statement");
            writes.transaction([&](db::transaction& tx) {
                tx.run("INSERT INTO items (name) VALUES ('lost')");
                ending_of([&] { tx.run(statement); }); // and what has become of it is not looked at
            });
        });
        app.get("/slow",
                [this](const http::request&) { reads.read([](db::transaction&) { fiber::sleep_for(1s); }); });
    }

    // Starts a request with so much time, and notes in `answer` what it was told.
    void start_request(std::optional<told>& answer, http::request request, fiber::duration budget)
    {
        runtime.spawn([this, &answer, request = std::move(request), budget] {
            fiber::scope scope{{.deadline = fiber::after(budget)}};
            const auto response = app(request);
            answer = told{.status = static_cast<unsigned>(response.status()),
                          .type = response.body().empty() ? "" : response.json<http::problem>().type,
                          .come_back = !response.header(http::field::retry_after).empty()};
        });
        runtime.run_ready();
    }

    std::string names()
    {
        return reads.one<std::string>("SELECT coalesce(group_concat(name), '') FROM items");
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(request, request_fixture)

// SEMANTICS 113
BOOST_AUTO_TEST_CASE(of_which_the_second_operation_is_refused_is_partly_done)
{
    const testing::hold busy{database.lane("report")};
    std::optional<told> answer;
    start_request(answer, http::post("/two", ""), 2s);
    runtime.advance(1s);

    BOOST_REQUIRE(answer.has_value());
    BOOST_TEST(answer->status == 500U);
    BOOST_TEST(answer->type == "urn:heddle:partly-done");
    BOOST_TEST(!answer->come_back);
    BOOST_TEST(names() == "first");
}

// SEMANTICS 113
BOOST_AUTO_TEST_CASE(of_which_the_second_operation_is_late_is_partly_done)
{
    for (const auto budget : {40ms, 100ms}) { // before its body begins, and inside of it
        writes.run("DELETE FROM items");
        std::optional<told> answer;
        start_request(answer, http::post("/two", ""), budget);
        runtime.advance(1s);

        BOOST_REQUIRE(answer.has_value());
        BOOST_TEST(answer->status == 500U);
        BOOST_TEST(answer->type == "urn:heddle:partly-done");
        BOOST_TEST(!answer->come_back);
        BOOST_TEST(names() == "first");
    }
}

BOOST_AUTO_TEST_CASE(that_has_all_its_time_does_both)
{
    std::optional<told> answer;
    start_request(answer, http::post("/two", ""), 2s);
    runtime.advance(1s);

    BOOST_REQUIRE(answer.has_value());
    BOOST_TEST(answer->status == 204U);
    BOOST_TEST(names() == "first,second");
}

// SEMANTICS 114
BOOST_AUTO_TEST_CASE(whose_time_ends_before_the_body_may_come_back_and_afterwards_not)
{
    std::array<std::optional<told>, 3> answers;
    for (auto& answer : answers) // two run, one waits for its turn
        start_request(answer, http::get("/slow"), 40ms);
    runtime.advance(40ms);

    for (const auto& answer : answers)
        BOOST_REQUIRE(answer.has_value());
    BOOST_TEST(answers[0]->status == 504U);
    BOOST_TEST(!answers[0]->come_back);
    BOOST_TEST(answers[2]->status == 503U);
    BOOST_TEST(answers[2]->come_back);
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 114
BOOST_AUTO_TEST_CASE(that_waits_for_another_processs_lock_may_come_back)
{
    stranger other{directory.path("test.db")};
    BOOST_REQUIRE(other.run("BEGIN IMMEDIATE"));
    std::array<std::optional<told>, 2> answers;
    start_request(answers[0], http::post("/one", ""), 100ms); // its deadline comes first
    start_request(answers[1], http::post("/one", ""), 10s);   // the lock's budget does
    runtime.advance(5s);

    for (const auto& answer : answers) {
        BOOST_REQUIRE(answer.has_value());
        BOOST_TEST(answer->status == 503U);
        BOOST_TEST(answer->come_back);
    }
    BOOST_REQUIRE(other.run("COMMIT"));
    BOOST_TEST(names() == "");
}

// SEMANTICS 79, FAULTS F06
BOOST_AUTO_TEST_CASE(that_has_lost_its_transaction_has_written_nothing_and_is_in_the_log_once)
{
    add("there");
    std::optional<told> answer;
    start_request(answer,
                  http::post("/leave/INSERT%20OR%20ROLLBACK%20INTO%20items%20(name)%20VALUES('there')", ""),
                  1s);

    BOOST_REQUIRE(answer.has_value());
    BOOST_TEST(answer->status == 500U);
    BOOST_REQUIRE(lines.size() == 1U);
    BOOST_TEST(contains(lines[0], "the database has ended the transaction"), lines[0]);
    BOOST_TEST(names() == "there");
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 79, FAULTS F06: what would leave one open is refused, and the transaction goes on
BOOST_AUTO_TEST_CASE(that_tries_to_begin_or_end_a_transaction_itself_does_not)
{
    for (const std::string statement : {"BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT%20mine"}) {
        writes.run("DELETE FROM items");
        std::optional<told> answer;
        start_request(answer, http::post("/leave/" + statement, ""), 1s);

        BOOST_REQUIRE(answer.has_value());
        BOOST_TEST(answer->status == 204U, statement);
        BOOST_TEST(names() == "lost", statement);
    }
    BOOST_TEST(lines.empty());
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 28: the data's fault is neither ours nor a reason to come back
BOOST_AUTO_TEST_CASE(that_breaks_a_rule_of_the_database_is_a_conflict_without_details)
{
    std::array<std::optional<told>, 2> answers;
    for (auto& answer : answers)
        start_request(answer, http::post("/one", ""), 1s);

    BOOST_REQUIRE(answers[1].has_value());
    BOOST_TEST(answers[0]->status == 204U);
    BOOST_TEST(answers[1]->status == 409U);
    BOOST_TEST(!answers[1]->come_back);
}

BOOST_AUTO_TEST_SUITE_END()
