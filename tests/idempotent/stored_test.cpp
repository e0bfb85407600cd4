// What is stored with a key, what is not, and for how long.
#include "notes_fixture.hpp"

#define BOOST_TEST_MODULE stored
#include <boost/test/unit_test.hpp>

namespace {

constexpr db::sql many_expired_keys{
    .sqlite = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) "
              "INSERT INTO idempotency_keys (key, scope, fingerprint, expires_at) "
              "SELECT 'old ' || i, x'00', x'00', 0 FROM n",
    .postgres =
        "INSERT INTO idempotency_keys (key, scope, fingerprint, expires_at) "
        "SELECT 'old ' || i, '\\x00', '\\x00', now() - INTERVAL '1 s' FROM generate_series(1, 1200) AS i"};

} // namespace

BOOST_FIXTURE_TEST_SUITE(an_answer, notes_fixture)

BOOST_AUTO_TEST_CASE(is_stored_byte_by_byte)
{
    const std::string bytes("\0\xff\r\n: \x80", 7);
    body = [&](db::transaction& tx, const http::request& req) {
        write_note(tx, req);
        http::response answer(http::status::accepted, "application/octet-stream", bytes);
        answer.add_header("Link", "</a>; rel=\"next\"")
            .add_header("Link", "</b>")
            .add_header("X-Name", "\xe9");
        answer.add_header("X-Empty", "");
        return answer;
    };

    const auto first = post("tea", "k1");
    auto second = post("tea", "k1");

    BOOST_TEST(is_replayed(second));
    second.remove_header("Idempotency-Replayed");
    BOOST_TEST(second.status() == http::status::accepted);
    BOOST_TEST(second.header_lines() == first.header_lines());
    BOOST_TEST((second.body() == bytes));
}

BOOST_AUTO_TEST_CASE(without_a_body_is_stored_too)
{
    app.post("/silent", [&](const http::request& req) {
        return http::idempotent(req, writes, [&](db::transaction& tx) { write_note(tx, req); });
    });
    send(http::post("/silent", "tea"), "k1");
    const auto second = send(http::post("/silent", "tea"), "k1");

    BOOST_TEST(second.status() == http::status::no_content);
    BOOST_TEST(is_replayed(second));
    BOOST_TEST(count() == 1);
}

BOOST_AUTO_TEST_CASE(that_refuses_is_stored_with_what_was_committed)
{
    body = [](db::transaction&, const http::request&) {
        return http::reply(http::problem::conflict("only 3 left"));
    };
    post("tea", "k1");
    body = write_note;
    const auto second = post("tea", "k1");

    BOOST_TEST(second.status() == http::status::conflict);
    BOOST_TEST(second.header(http::field::content_type) == "application/problem+json");
    BOOST_TEST(is_replayed(second));
    BOOST_TEST(bodies == 1);
}

BOOST_AUTO_TEST_CASE(of_500_and_more_is_rolled_back_and_leaves_the_key_free)
{
    body = [](db::transaction& tx, const http::request& req) {
        write_note(tx, req);
        return http::response(http::status::service_unavailable);
    };
    BOOST_TEST(post("tea", "k1").status() == http::status::service_unavailable);
    BOOST_TEST(post("tea", std::nullopt).status() == http::status::service_unavailable);
    BOOST_TEST(count() == 0);

    body = write_note;
    BOOST_TEST(post("tea", "k1").status() == http::status::created);
}

BOOST_AUTO_TEST_CASE(of_a_body_that_rolls_back_by_itself_is_not_stored)
{
    body = [](db::transaction& tx, const http::request& req) {
        write_note(tx, req);
        tx.rollback();
        return http::response(http::status::conflict);
    };
    BOOST_TEST(post("tea", "k1").status() == http::status::conflict);
    BOOST_TEST(count("idempotency_keys") == 0);
    BOOST_TEST(!is_replayed(post("tea", "k1")));
}

// The key is used up with it: what was written is there, and must not be written again.
BOOST_AUTO_TEST_CASE(of_a_body_that_commits_by_itself_is_partly_done_and_never_done_again)
{
    body = [](db::transaction& tx, const http::request& req) {
        auto answer = write_note(tx, req);
        tx.commit();
        return answer;
    };
    const fiber::scope request{{}};
    const auto first = post("tea", "k1");
    const auto second = post("tea", "k1");

    BOOST_TEST(type_of(first) == "urn:heddle:partly-done");
    BOOST_TEST(second.status() == http::status::internal_server_error);
    BOOST_TEST(count() == 1);
}

BOOST_AUTO_TEST_CASE(that_is_streamed_cannot_be_stored)
{
    body = [](db::transaction& tx, const http::request& req) {
        write_note(tx, req);
        return http::stream("text/plain", [](http::sink& out) { out.write("tea"); });
    };
    BOOST_TEST(post("tea", "k1").status() == http::status::internal_server_error);
    BOOST_TEST(count() == 0);
    BOOST_TEST(count("idempotency_keys") == 0);
}

BOOST_AUTO_TEST_CASE(that_has_expired_leaves_the_key_free)
{
    options.keep = 0s;
    post("tea", "k1");
    BOOST_TEST(count("idempotency_keys") == 1);
    const auto ask = http::post("/notes", "milk").with_header("Idempotency-Key", "k1");
    BOOST_TEST(!http::earlier_answer(ask, reads).has_value());

    options.keep = 24h;
    const auto another = post("milk", "k1");
    BOOST_TEST(another.status() == http::status::created);
    BOOST_TEST(!is_replayed(another));
    BOOST_TEST(post("milk", "k1").body() == another.body());
    BOOST_TEST(count("idempotency_keys") == 1);
}

BOOST_AUTO_TEST_CASE(that_has_expired_is_deleted_and_never_all_of_them_at_once)
{
    post("tea", "k1");
    writes.script(many_expired_keys);

    BOOST_TEST(http::forget_expired_keys(writes, 1000) == 1000);
    BOOST_TEST(count("idempotency_keys") == 201);
    BOOST_TEST(http::forget_expired_keys(writes, 1000) == 200);
    BOOST_TEST(http::forget_expired_keys(writes, 1000) == 0);
    BOOST_TEST(is_replayed(post("tea", "k1")));
}

BOOST_AUTO_TEST_SUITE_END()
