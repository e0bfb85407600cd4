// What a client is told that sends the same request again, and what was done.
#include "notes_fixture.hpp"

#define BOOST_TEST_MODULE idempotent
#include <boost/test/unit_test.hpp>

#include <vector>

BOOST_FIXTURE_TEST_SUITE(a_request_that_is_sent_again, notes_fixture)

// SEMANTICS 103: the key lets the client ask
BOOST_AUTO_TEST_CASE(is_done_once_and_answered_as_before)
{
    const auto first = post("tea", "k1");
    const auto second = post("tea", "\"k1\"");

    BOOST_TEST(first.status() == http::status::created);
    BOOST_TEST(!is_replayed(first));
    BOOST_TEST(second.status() == http::status::created);
    BOOST_TEST(is_replayed(second));
    BOOST_TEST(second.header(http::field::location) == "/notes/1");
    BOOST_TEST(second.header(http::field::content_type) == "application/json");
    BOOST_TEST(second.body() == first.body());
    BOOST_TEST(bodies == 1);
    BOOST_TEST(count() == 1);
}

BOOST_AUTO_TEST_CASE(is_done_each_time_without_a_key)
{
    BOOST_TEST(!is_replayed(post("tea", std::nullopt)));
    BOOST_TEST(!is_replayed(post("tea", std::nullopt)));
    BOOST_TEST(count() == 2);
    BOOST_TEST(count("idempotency_keys") == 0);
}

BOOST_AUTO_TEST_CASE(with_something_else_in_it_is_told_so)
{
    post("tea", "k1");

    const std::vector<http::request> others{
        http::post("/notes", "milk"),
        http::post("/notes?loud=1", "tea"),
        http::request(http::verb::post, "/notes").with_header(http::field::content_type, "text/plain"),
    };
    for (auto other : others) {
        const auto answer = send(std::move(other), "k1");
        BOOST_TEST(answer.status() == http::status::unprocessable_entity);
        BOOST_TEST(type_of(answer) == "urn:heddle:idempotency-key-reused");
        BOOST_TEST(!is_replayed(answer));
    }
    BOOST_TEST(count() == 1);
    BOOST_TEST(is_replayed(post("tea", "k1")));
}

BOOST_AUTO_TEST_CASE(elsewhere_or_by_somebody_else_is_another_one)
{
    options.principal = "ada";
    post("tea", "k1");

    BOOST_TEST(!is_replayed(send(http::put("/notes", "tea"), "k1")));
    BOOST_TEST(!is_replayed(send(http::post("/others", "tea"), "k1")));
    BOOST_TEST(!is_replayed(post("tea", "k2")));
    options.principal = "bob";
    BOOST_TEST(!is_replayed(post("tea", "k1")));
    BOOST_TEST(count() == 5);
    options.principal = "ada";
    BOOST_TEST(post("tea", "k1").header(http::field::location) == "/notes/1");
}

BOOST_AUTO_TEST_CASE(many_times_at_once_is_done_once)
{
    constexpr int clients = 20;
    std::vector<http::response> answers(clients);
    fiber::task_group::run([&](fiber::task_group& tasks) {
        for (auto& answer : answers)
            tasks.start([&] {
                do // a slow machine may let the lock's budget pass
                    answer = post("tea", "k1");
                while (answer.status() == http::status::conflict);
            });
    });

    int replayed = 0;
    for (const auto& answer : answers) {
        BOOST_TEST(answer.status() == http::status::created);
        BOOST_TEST(answer.header(http::field::location) == "/notes/1");
        replayed += is_replayed(answer) ? 1 : 0;
    }
    BOOST_TEST(replayed == clients - 1);
    BOOST_TEST(bodies == 1);
    BOOST_TEST(count() == 1);
}

BOOST_AUTO_TEST_CASE(after_a_failure_is_done)
{
    body = [](db::transaction& tx, const http::request& req) -> http::response {
        write_note(tx, req);
        throw std::runtime_error("the disk is on fire");
    };
    BOOST_TEST(post("tea", "k1").status() == http::status::internal_server_error);
    body = [](db::transaction& tx, const http::request& req) -> http::response {
        write_note(tx, req);
        throw http::rejected(http::problem::conflict("not now"));
    };
    BOOST_TEST(post("tea", "k1").status() == http::status::conflict);
    BOOST_TEST(count() == 0);
    BOOST_TEST(count("idempotency_keys") == 0);

    body = write_note;
    const auto answer = post("tea", "k1");
    BOOST_TEST(answer.status() == http::status::created);
    BOOST_TEST(!is_replayed(answer));
}

// SEMANTICS 113
BOOST_AUTO_TEST_CASE(after_only_a_part_was_done_is_told_about_that_part)
{
    bool fails = true;
    app.post("/parts", [&](const http::request& req) {
        auto answer = http::idempotent(req, writes, [&](db::transaction& tx) { return write_note(tx, req); });
        if (fails)
            throw heddle::overloaded(heddle::overloaded::why::full, "no place for the rest");
        return answer;
    });

    const auto first = [&] {
        const fiber::scope request{{}};
        return send(http::post("/parts", "tea"), "k1");
    }();
    fails = false;
    const auto second = send(http::post("/parts", "tea"), "k1");

    BOOST_TEST(first.status() == http::status::internal_server_error);
    BOOST_TEST(type_of(first) == "urn:heddle:partly-done");
    BOOST_TEST(first.header(http::field::retry_after).empty());
    BOOST_TEST(second.status() == http::status::created);
    BOOST_TEST(is_replayed(second));
    BOOST_TEST(count() == 1);
}

// Its answer may be a neighbour's that is committed only with it.
BOOST_AUTO_TEST_CASE(is_told_the_first_answer_when_that_is_committed)
{
    post("tea", "k1");
    const fiber::scope request{{}};
    post("tea", "k1");
    BOOST_TEST(request.has_committed());
}

BOOST_AUTO_TEST_CASE(needs_a_key_where_that_is_asked_for)
{
    options.required = true;
    const auto without = post("tea", std::nullopt);
    BOOST_TEST(without.status() == http::status::bad_request);
    BOOST_TEST(without.json<http::problem>().errors.at(0).pointer == "/header/Idempotency-Key");
    BOOST_TEST(post("tea", "k1").status() == http::status::created);
}

BOOST_AUTO_TEST_CASE(needs_a_key_that_is_one)
{
    for (const char* key : {"", "two words", "\"", "\"\"", "a,b"})
        BOOST_TEST(post("tea", key).status() == http::status::bad_request, key);
    BOOST_TEST(send(http::post("/notes", "tea").with_header("Idempotency-Key", "a"), "b").status() ==
               http::status::bad_request);
    BOOST_TEST(bodies == 0);
}

// SEMANTICS 108
BOOST_AUTO_TEST_CASE(is_tried_again_after_a_conflict_and_still_done_once)
{
    options.transaction.retries = 2;
    body = [this](db::transaction& tx, const http::request& req) {
        auto answer = write_note(tx, req);
        if (bodies < 3)
            throw db::error(heddle::kind::conflict, "another one was faster");
        return answer;
    };

    BOOST_TEST(post("tea", "k1").status() == http::status::created);
    BOOST_TEST(bodies == 3);
    BOOST_TEST(is_replayed(post("tea", "k1")));
    BOOST_TEST(bodies == 3);
    BOOST_TEST(count() == 1);
}

BOOST_AUTO_TEST_CASE(can_be_recognised_before_the_work_begins)
{
    const auto ask = [&](std::string text) {
        return http::earlier_answer(
            http::post("/notes", std::move(text)).with_header("Idempotency-Key", "k1"), reads, options);
    };
    BOOST_TEST(!http::earlier_answer(http::post("/notes", "tea"), reads).has_value());
    BOOST_TEST(!ask("tea").has_value());

    post("tea", "k1");

    BOOST_TEST(ask("tea").value().header(http::field::location) == "/notes/1");
    BOOST_TEST(is_replayed(ask("tea").value()));
    BOOST_TEST(ask("milk").value().status() == http::status::unprocessable_entity);
}

BOOST_AUTO_TEST_SUITE_END()
