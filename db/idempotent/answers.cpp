#include "idempotent/answers.hpp"

#include <heddle/db/error.hpp>
#include <heddle/http/reply.hpp>

#include "idempotent/octets.hpp"

#include <boost/describe.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace heddle::idempotent {

namespace {

struct stored
{
    octets fingerprint;
    std::optional<int> status;     // none: the body of its request has committed by itself
    std::optional<octets> headers; // lines, as response::header_lines() has them
    std::optional<octets> body;
};
BOOST_DESCRIBE_STRUCT(stored, (), (fingerprint, status, headers, body))

constexpr const char* lock_not_available = "55P03"; // PostgreSQL's manual, appendix A

constexpr db::sql take_key{
    .sqlite = "INSERT INTO idempotency_keys (key, scope, fingerprint, expires_at) "
              "VALUES ($1, $2, $3, CAST(strftime('%s', 'now') AS INTEGER) + $4) "
              "ON CONFLICT (key, scope) DO UPDATE "
              "SET fingerprint = excluded.fingerprint, expires_at = excluded.expires_at, status = NULL "
              "WHERE idempotency_keys.expires_at <= CAST(strftime('%s', 'now') AS INTEGER)",
    .postgres = "INSERT INTO idempotency_keys (key, scope, fingerprint, expires_at) "
                "VALUES ($1, $2, $3, now() + $4::BIGINT * INTERVAL '1 second') "
                "ON CONFLICT (key, scope) DO UPDATE "
                "SET fingerprint = excluded.fingerprint, expires_at = excluded.expires_at, status = NULL "
                "WHERE idempotency_keys.expires_at <= now()"};

constexpr const char* store_answer = "UPDATE idempotency_keys SET status = $3, headers = $4, body = $5 "
                                     "WHERE key = $1 AND scope = $2";

constexpr const char* read_answer =
    "SELECT fingerprint, status, headers, body FROM idempotency_keys WHERE key = $1 AND scope = $2";

constexpr db::sql read_answer_in_force{
    .sqlite = "SELECT fingerprint, status, headers, body FROM idempotency_keys "
              "WHERE key = $1 AND scope = $2 AND expires_at > CAST(strftime('%s', 'now') AS INTEGER)",
    .postgres = "SELECT fingerprint, status, headers, body FROM idempotency_keys "
                "WHERE key = $1 AND scope = $2 AND expires_at > now()"};

// Those that another instance deletes, or that a request takes over, are left to them.
constexpr db::sql delete_some{
    .sqlite = "DELETE FROM idempotency_keys WHERE (key, scope) IN (SELECT key, scope FROM idempotency_keys "
              "WHERE expires_at <= CAST(strftime('%s', 'now') AS INTEGER) ORDER BY expires_at LIMIT $1)",
    .postgres = "DELETE FROM idempotency_keys WHERE (key, scope) IN (SELECT key, scope FROM idempotency_keys "
                "WHERE expires_at <= now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)"};

http::response reused()
{
    http::problem made(http::status::unprocessable_entity,
                       "this Idempotency-Key was sent before, with another request");
    made.type = "urn:heddle:idempotency-key-reused";
    made.title = "Idempotency key reused";
    return http::reply(made);
}

void add_lines(http::response& answer, std::string_view lines)
{
    while (!lines.empty()) {
        const auto end = lines.find("\r\n");
        const auto colon = lines.find(": ");
        answer.add_header(lines.substr(0, colon), lines.substr(colon + 2, end - colon - 2));
        lines.remove_prefix(end + 2);
    }
}

http::response replay(stored&& found, const key& key)
{
    if (found.fingerprint.bytes != key.fingerprint)
        return reused();
    if (!found.status)
        throw error(kind::internal, "the body of an idempotent request has committed by itself, and what it "
                                    "answered is not known");
    http::response answer(static_cast<http::status>(*found.status));
    if (found.headers)
        add_lines(answer, found.headers->bytes);
    if (found.body)
        answer.set_body(std::move(found.body->bytes));
    answer.add_header("Idempotency-Replayed", "true");
    return answer;
}

} // namespace

taking take(db::transaction& tx, const key& key, std::chrono::seconds keep)
{
    try {
        const auto changed =
            tx.run(take_key, key.text, octets{key.scope}, octets{key.fingerprint}, keep.count());
        return changed == 1 ? taking::taken : taking::known;
    } catch (const db::error& e) {
        if (e.code() != lock_not_available)
            throw;
    }
    return taking::refused;
}

void store(db::transaction& tx, const key& key, const http::response& answer)
{
    tx.run(store_answer, key.text, octets{key.scope}, static_cast<int>(answer.status()),
           octets{std::string(answer.header_lines())}, octets{std::string(answer.body())});
}

http::response answer_of(db::transaction& tx, const key& key)
{
    return replay(tx.one<stored>(read_answer, key.text, octets{key.scope}), key);
}

std::optional<http::response> find_answer(db::lane& lane, const key& key)
{
    auto found = lane.find<stored>(read_answer_in_force, key.text, octets{key.scope});
    if (!found)
        return std::nullopt;
    return replay(*std::move(found), key);
}

std::int64_t delete_expired(db::lane& lane, std::int64_t limit)
{
    return lane.run(delete_some, limit);
}

} // namespace heddle::idempotent
