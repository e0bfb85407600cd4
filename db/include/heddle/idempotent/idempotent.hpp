// Requests that may be repeated: what a request with an Idempotency-Key has done is done once, and whoever
// sends it again is told again what was answered. Key, request and answer are stored in the transaction that
// does the work, so that they are there exactly if it was done.
//
//     return http::idempotent(req, writes, [&](db::transaction& tx) {
//         auto row = tx.one<order>("INSERT INTO orders ... RETURNING ...");
//         return http::created{"/orders/" + std::to_string(row.id), row};
//     });
//
// The table is idempotency_table (table.hpp), which belongs into the program's migrations.
#pragma once

#include <heddle/db/lane.hpp>
#include <heddle/http/message.hpp>
#include <heddle/http/reply.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>

namespace heddle::http {

struct idempotency_options
{
    // Whose key it is. A key holds for one principal, method and path, so that where this is given nobody is
    // told what another one was answered; where it is not, whoever knows a key and the whole of its request
    // is. What stays the same when a client comes back: a user's id, not a token that is renewed.
    std::string_view principal = {};
    bool required = false;                              // a request without a key is refused
    std::chrono::seconds keep = std::chrono::hours(24); // that a key is remembered
    db::transaction_options transaction = {};
};

// The answer of `body(db::transaction&)`, which is run in a transaction of `lane`, at most once for each key.
// The key is the field Idempotency-Key: 1 to 255 printable characters of ASCII; in quotes, or, where none of
// them is a space, a quote, a backslash, a comma or a semicolon, as they are. Without a key this is a
// transaction like any other.
//
// Stored is what was committed: what `body` returns, a refusal too, and nothing of what it throws. An answer
// of 500 and more is no outcome: it is rolled back, with a key or without, and the key stays free. The answer
// must be whole: none that is streamed; and `body` must not end the transaction by commit().
//
//   sent again                              the first answer, with Idempotency-Replayed: true
//   with another query, media type or body  422 urn:heddle:idempotency-key-reused
//   while the first is still at work        waits for it: in SQLite for its turn to write, in PostgreSQL as
//                                           for any lock (lock_budget); past that 409
//                                           urn:heddle:idempotency-key-in-use with Retry-After
//   a key that is none; more than one       400
//
// After 500 commit-unknown the same request with the same key finds out: it is told the answer, or it is done
// now. In PostgreSQL above read committed, a request that meets its own first one is a conflict, which
// `transaction.retries` resolve.
//
// Parks, throws: as lane.transaction() does; rejected.
// Source: draft-ietf-httpapi-idempotency-key-header.
template <std::invocable<db::transaction&> Body>
response idempotent(const request& req, db::lane& lane, const idempotency_options& options, Body&& body);

template <std::invocable<db::transaction&> Body>
response idempotent(const request& req, db::lane& lane, Body&& body)
{
    return idempotent(req, lane, idempotency_options{}, body);
}

// What a request with this key was answered already, or that the key is another request's; nothing if there
// is no key, or it is new. To be asked before work outside of the transaction whose outcome may have changed
// since then: the stock that the first request has used up must not refuse the second.
// Parks, throws: as lane.find() does; rejected.
std::optional<response> earlier_answer(const request& req, db::lane& lane,
                                       const idempotency_options& options = {});

// Deletes keys that have expired, at most so many, in one transaction, and returns how many. An expired key
// is free, deleted or not: this gives back the room, and is to be called now and then, by each instance, and
// again as long as it finds `limit`.
// Parks, throws: as lane.run() does.
std::int64_t forget_expired_keys(db::lane& lane, std::int64_t limit = 500);

namespace idempotent_detail {

response answer_once(const request& req, db::lane& lane, const idempotency_options& options,
                     const std::function<response(db::transaction&)>& body);

} // namespace idempotent_detail

template <std::invocable<db::transaction&> Body>
response idempotent(const request& req, db::lane& lane, const idempotency_options& options, Body&& body)
{
    return idempotent_detail::answer_once(req, lane, options, [&body](db::transaction& tx) {
        if constexpr (std::is_void_v<std::invoke_result_t<Body&, db::transaction&>>) {
            body(tx);
            return response(http::status::no_content);
        } else {
            return reply(body(tx));
        }
    });
}

} // namespace heddle::http
