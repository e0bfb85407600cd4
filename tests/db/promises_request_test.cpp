// What requests are told, on each database, whose handlers do what they should not.
#include "both_fixture.hpp"

#include <heddle/base/log.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/fiber/task_group.hpp>
#include <heddle/http/problem.hpp>
#include <heddle/http/router.hpp>
#include <heddle/testing/hold.hpp>

#include <boost/test/unit_test.hpp>

#include <array>
#include <map>
#include <vector>

namespace http = heddle::http;

namespace {

struct told
{
    unsigned status = 0;
    std::string type;
    bool come_back = false;
};

struct request_fixture : both_fixture
{
    heddle::log::capture quiet{[](heddle::log::level, std::string_view) {}};
    http::router app;

    explicit request_fixture(std::int64_t connections = 2) : both_fixture(connections) {}

    told answer(const http::request& request, fiber::duration budget = 2s)
    {
        const fiber::scope scope{{.deadline = fiber::after(budget)}};
        const auto response = app(request);
        const bool is_problem = response.header(http::field::content_type) == "application/problem+json";
        return {.status = static_cast<unsigned>(response.status()),
                .type = is_problem ? response.json<http::problem>().type : "",
                .come_back = !response.header(http::field::retry_after).empty()};
    }
};

struct leaving_fixture : request_fixture
{
    leaving_fixture() : request_fixture(1)
    {
        add("first");
        app.post("/leave", [this](const http::request& req) {
            const auto how = req.query<std::string>("how");
            writes.transaction([&](db::transaction& tx) {
                tx.run(db::sql{.sqlite = "BEGIN IMMEDIATE", .postgres = "BEGIN"});
                insert(tx, "lost");
                if (how == "throw")
                    throw std::runtime_error("the handler's own");
                if (how == "fail")
                    ending_of([&] { tx.run("UPDATE nothing SET nonsense = 1"); });
                if (how == "lock")
                    tx.query<std::int64_t>(
                        db::sql{.sqlite = "SELECT id FROM items WHERE id = 1",
                                .postgres = "SELECT id FROM items WHERE id = 1 FOR UPDATE"});
            });
        });
        app.post("/fresh", [this](const http::request&) {
            writes.transaction([](db::transaction& tx) {
                tx.one<std::string>("SELECT name FROM items WHERE id = 1");
                insert(tx, "fresh");
                tx.run("UPDATE items SET name = 'first' WHERE id = 1");
                tx.run("DELETE FROM items WHERE name = 'fresh'");
            });
        });
    }
};

struct two_operations : request_fixture
{
    two_operations()
    {
        app.post("/two", [this](const http::request&) {
            add("one");
            fiber::sleep_for(50ms);
            reads.read([](db::transaction&) { fiber::sleep_for(100ms); });
        });
    }

    // What it is told when it has so much time.
    told answer_in(fiber::duration budget)
    {
        told answered;
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] { answered = answer(http::post("/two", ""), budget); });
            runtime.run_ready();
            for (int i = 0; i < 20; ++i) {
                runtime.advance(10ms);
                runtime.run_ready();
            }
        });
        return answered;
    }
};

} // namespace

// FAULTS F06, SEMANTICS 79
BOOST_FIXTURE_TEST_CASE(what_a_handler_leaves_open_is_not_committed_and_hinders_nobody, leaving_fixture)
{
    for (const std::string how : {"return", "throw", "fail", "lock"}) {
        const auto left = answer(http::post("/leave?how=" + how, ""));
        const auto began = fiber::now();
        const auto fresh = answer(http::post("/fresh", ""));

        BOOST_TEST(left.status == 500U, how);
        BOOST_TEST(!left.come_back, how);
        BOOST_TEST(fresh.status == 204U, how);
        BOOST_TEST((fiber::now() - began < 100ms), how);
        BOOST_TEST(names() == "first ", how);
    }
    BOOST_TEST(is_at_rest());
}

// FAULTS F07
BOOST_FIXTURE_TEST_CASE(handlers_that_need_two_connections_do_not_stop_the_others, request_fixture)
{
    app.get("/nested", [this](const http::request&) {
        reads.read([&](db::transaction&) {
            fiber::sleep_for(40ms); // less than queue_wait
            names();
        });
    });
    app.post("/slow", [this](const http::request&) {
        writes.transaction([](db::transaction&) { fiber::sleep_for(10ms); });
    });
    std::vector<told> nested(10);
    std::vector<told> plain(20);
    fiber::task_group::run([&](fiber::task_group& tasks) {
        for (auto& one : nested)
            tasks.start([&] { one = answer(http::get("/nested"), 700ms); });
        for (std::size_t i = 0; i < plain.size(); ++i)
            tasks.start([&, i] {
                fiber::sleep_for(50ms * (i + 1));
                plain[i] = answer(http::post("/slow", ""), 1s);
            });
        for (int i = 0; i < 240; ++i) {
            runtime.run_ready();
            runtime.advance(5ms);
        }
    });

    std::map<unsigned, int> statuses;
    for (const auto& one : nested)
        ++statuses[one.status];
    BOOST_TEST(statuses[500] == 3); // two ran, one had waited: refused at the second connection
    BOOST_TEST(statuses[500] + statuses[503] == 10); // and no room for the others
    for (const auto& one : plain)
        BOOST_TEST(one.status == 204U);
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 113
BOOST_FIXTURE_TEST_CASE(of_two_operations_of_which_the_second_is_late_one_is_partly_done, two_operations)
{
    for (const auto budget : {40ms, 100ms}) { // before its body begins, and inside of it
        const auto answered = answer_in(budget);
        BOOST_TEST(answered.status == 500U);
        BOOST_TEST(answered.type == "urn:heddle:partly-done");
        BOOST_TEST(!answered.come_back);
        BOOST_TEST(names() == "one ");
        writes.run("DELETE FROM items");
    }
    BOOST_TEST(answer_in(1s).status == 204U);
    BOOST_TEST(is_at_rest());
}

// SEMANTICS 113
BOOST_FIXTURE_TEST_CASE(of_two_operations_of_which_the_second_is_refused_one_is_partly_done, two_operations)
{
    const testing::hold busy{reads};
    const auto answered = answer_in(1s);

    BOOST_TEST(answered.status == 500U);
    BOOST_TEST(answered.type == "urn:heddle:partly-done");
    BOOST_TEST(!answered.come_back);
}

// SEMANTICS 114
BOOST_FIXTURE_TEST_CASE(a_wait_that_ends_before_the_body_is_503_and_504_afterwards, request_fixture)
{
    app.get("/slow",
            [this](const http::request&) { reads.read([](db::transaction&) { fiber::sleep_for(1s); }); });
    std::array<told, 3> answers; // two run, one waits for its turn
    fiber::task_group::run([&](fiber::task_group& tasks) {
        for (auto& one : answers)
            tasks.start([&] { one = answer(http::get("/slow"), 40ms); });
        runtime.run_ready();
        runtime.advance(40ms);
        runtime.run_ready();
    });

    BOOST_TEST(answers[0].status == 504U);
    BOOST_TEST(!answers[0].come_back);
    BOOST_TEST(answers[1].status == 504U);
    BOOST_TEST(answers[2].status == 503U);
    BOOST_TEST(answers[2].come_back);
    BOOST_TEST(is_at_rest());
}
