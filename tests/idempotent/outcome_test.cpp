// Requests that meet each other in PostgreSQL, and networks that are cut: each is done once, and whoever asks
// again finds out.
#define BOOST_TEST_MODULE outcome

#include "postgres_fixture.hpp"

#include <heddle/base/log.hpp>
#include <heddle/http/router.hpp>
#include <heddle/idempotent/idempotent.hpp>
#include <heddle/idempotent/table.hpp>

#include <boost/test/unit_test.hpp>

#include <array>

namespace http = heddle::http;

namespace {

struct outcome_fixture : postgres_fixture
{
    heddle::log::capture quiet{[](heddle::log::level, std::string_view) {}};
    http::idempotency_options options;
    std::function<void()> before_the_commit = [] {};
    std::atomic<int> bodies = 0;
    std::int64_t items = 0; // in the table, at the end

    // Runs `f(app)` with a router whose POST /items inserts one.
    void with_app(const std::function<void(const http::router&)>& f)
    {
        with_items([&](db::lane& reads, db::lane& writes) {
            writes.script("DROP TABLE IF EXISTS idempotency_keys");
            writes.script(http::idempotency_table);
            http::router app;
            app.post("/items", [&](const http::request& req) {
                return http::idempotent(req, writes, options, [&](db::transaction& tx) {
                    const auto name = "item " + std::to_string(++bodies);
                    const auto id =
                        tx.one<std::int64_t>("INSERT INTO items (name) VALUES ($1) RETURNING id", name);
                    before_the_commit();
                    return http::created{"/items/" + std::to_string(id), name};
                });
            });
            f(app);
            items = reads.one<std::int64_t>("SELECT count(*) FROM items");
        });
    }
};

http::response post(const http::router& app)
{
    return app(http::post("/items", "{}").with_header("Idempotency-Key", "k1"));
}

bool is_replayed(const http::response& answer)
{
    return answer.header("Idempotency-Replayed") == "true";
}

void wait_until_one_waits_for_a_lock()
{
    while (services::ask("sql SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") == "0")
        fiber::sleep_for(2ms);
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(an_idempotent_request, outcome_fixture)

BOOST_AUTO_TEST_CASE(waits_for_its_first_one_and_is_told_the_same)
{
    server.lock_budget = 60s;
    std::atomic<bool> first_has_begun = false;
    before_the_commit = [&] {
        first_has_begun = true;
        wait_until_one_waits_for_a_lock();
    };
    std::array<http::response, 2> answers;
    with_app([&](const http::router& app) {
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] { answers[0] = post(app); });
            tasks.start([&] {
                wait_for(first_has_begun);
                answers[1] = post(app);
            });
        });
    });

    BOOST_TEST(!is_replayed(answers[0]));
    BOOST_TEST(answers[0].status() == http::status::created);
    BOOST_TEST(is_replayed(answers[1]));
    BOOST_TEST(answers[1].body() == answers[0].body());
    BOOST_TEST(bodies == 1);
    BOOST_TEST(items == 1);
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_CASE(whose_first_one_is_rolled_back_is_done)
{
    server.lock_budget = 60s;
    std::atomic<bool> first_has_begun = false;
    before_the_commit = [&] {
        if (first_has_begun.exchange(true))
            return;
        wait_until_one_waits_for_a_lock();
        throw std::runtime_error("the first one fails");
    };
    std::array<http::response, 2> answers;
    with_app([&](const http::router& app) {
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] { answers[0] = post(app); });
            tasks.start([&] {
                wait_for(first_has_begun);
                answers[1] = post(app);
            });
        });
    });

    BOOST_TEST(answers[0].status() == http::status::internal_server_error);
    BOOST_TEST(answers[1].status() == http::status::created);
    BOOST_TEST(!is_replayed(answers[1]));
    BOOST_TEST(items == 1);
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_CASE(does_not_wait_for_longer_than_a_lock_may_take)
{
    server.lock_budget = 50ms;
    http::response first;
    http::response second;
    std::atomic<bool> first_has_begun = false;
    std::atomic<bool> second_is_answered = false;
    before_the_commit = [&] {
        first_has_begun = true;
        wait_for(second_is_answered);
    };
    with_app([&](const http::router& app) {
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] { first = post(app); });
            tasks.start([&] {
                wait_for(first_has_begun);
                second = post(app);
                second_is_answered = true;
            });
        });
    });

    BOOST_TEST(second.status() == http::status::conflict);
    BOOST_TEST(second.json<http::problem>().type == "urn:heddle:idempotency-key-in-use");
    BOOST_TEST(!second.header(http::field::retry_after).empty());
    BOOST_TEST(first.status() == http::status::created);
    BOOST_TEST(bodies == 1);
    BOOST_TEST(items == 1);
    BOOST_TEST(at_rest);
}

// SEMANTICS 108: where the snapshot is older than the first one's end, the transaction has to be begun anew
BOOST_AUTO_TEST_CASE(that_is_serializable_is_told_the_same_after_a_retry)
{
    server.lock_budget = 60s;
    options.transaction = {.isolation = db::isolation::serializable, .retries = 3};
    std::atomic<bool> first_has_begun = false;
    before_the_commit = [&] {
        first_has_begun = true;
        wait_until_one_waits_for_a_lock();
    };
    http::response second;
    with_app([&](const http::router& app) {
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] { post(app); });
            tasks.start([&] {
                wait_for(first_has_begun);
                second = post(app);
            });
        });
    });

    BOOST_TEST(second.status() == http::status::created);
    BOOST_TEST(is_replayed(second));
    BOOST_TEST(bodies == 1);
    BOOST_TEST(items == 1);
}

// SEMANTICS 103
BOOST_AUTO_TEST_CASE(whose_commit_was_done_and_its_answer_cut_off_is_told_what_was_done)
{
    server.connection = services::through_relay();
    before_the_commit = [] { services::ask("cut-after COMMIT"); };
    std::array<http::response, 2> answers;
    with_app([&](const http::router& app) {
        for (auto& answer : answers)
            answer = post(app);
    });

    BOOST_TEST(answers[0].status() == http::status::internal_server_error);
    BOOST_TEST(answers[0].json<http::problem>().type == "urn:heddle:commit-unknown");
    BOOST_TEST(answers[1].status() == http::status::created);
    BOOST_TEST(is_replayed(answers[1]));
    BOOST_TEST(bodies == 1);
    BOOST_TEST(items == 1);
}

// SEMANTICS 103
BOOST_AUTO_TEST_CASE(whose_commit_did_not_arrive_is_done_by_the_next_one)
{
    server.connection = services::through_relay();
    server.lock_budget = 60s;
    before_the_commit = [&] {
        if (bodies == 1)
            services::ask("cut-before COMMIT");
    };
    http::response first;
    http::response second;
    with_app([&](const http::router& app) {
        first = post(app);
        second = post(app); // may wait until the server has found that nobody is there
    });

    BOOST_TEST(first.json<http::problem>().type == "urn:heddle:commit-unknown");
    BOOST_TEST(second.status() == http::status::created);
    BOOST_TEST(!is_replayed(second));
    BOOST_TEST(bodies == 2);
    BOOST_TEST(items == 1);
}

BOOST_AUTO_TEST_SUITE_END()
