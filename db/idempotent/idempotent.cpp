// The way of a request that may be repeated: its key first, then the work, then the answer, in one
// transaction.
#include <heddle/idempotent/idempotent.hpp>

#include <heddle/base/error.hpp>
#include <heddle/http/problem.hpp>

#include "idempotent/answers.hpp"
#include "idempotent/key.hpp"

#include <utility>

namespace heddle::http {

namespace {

using idempotent::key;
using idempotent::taking;

std::optional<key> key_wanted(const request& req, const idempotency_options& options)
{
    auto key = idempotent::key_of(req, options.principal);
    if (!key && options.required)
        throw bad_request("/header/Idempotency-Key", "is missing");
    return key;
}

response in_use()
{
    problem made(status::conflict, "a request with this Idempotency-Key is still at work");
    made.type = "urn:heddle:idempotency-key-in-use";
    made.title = "Idempotency key in use";
    auto answer = reply(made);
    answer.set_header(field::retry_after, "1");
    return answer;
}

// What there is to say without doing the work; nothing if the key was taken for it. A known answer is
// committed like any other: in SQLite it may be one of a neighbour's that is committed together with this
// transaction, and must not be told before it is.
std::optional<response> without_work(db::transaction& tx, const key& key, std::chrono::seconds keep)
{
    switch (idempotent::take(tx, key, keep)) {
    case taking::taken:
        return std::nullopt;
    case taking::known:
        return idempotent::answer_of(tx, key);
    case taking::refused:
        tx.rollback();
        break;
    }
    return in_use();
}

// Throws: error if it cannot be what the key stands for. Nothing of it is committed then, unless the body has
// done that.
void keep_answer(db::transaction& tx, const key& key, const response& answer)
{
    if (tx.is_committed())
        throw error(kind::internal, "the body of an idempotent request has committed by itself, and its "
                                    "answer cannot be stored any more");
    if (tx.is_open())
        idempotent::store(tx, key, answer);
}

} // namespace

response idempotent_detail::answer_once(const request& req, db::lane& lane,
                                        const idempotency_options& options,
                                        const std::function<response(db::transaction&)>& body)
{
    const auto key = key_wanted(req, options);
    return lane.transaction(options.transaction, [&](db::transaction& tx) {
        if (key)
            if (auto known = without_work(tx, *key, options.keep))
                return *std::move(known);
        auto answer = body(tx);
        if (answer.is_streaming())
            throw error(kind::internal, "the answer of an idempotent request cannot be streamed");
        if (static_cast<unsigned>(answer.status()) >= 500) {
            if (tx.is_open())
                tx.rollback();
        } else if (key) {
            keep_answer(tx, *key, answer);
        }
        return answer;
    });
}

std::optional<response> earlier_answer(const request& req, db::lane& lane, const idempotency_options& options)
{
    const auto key = key_wanted(req, options);
    if (!key)
        return std::nullopt;
    return idempotent::find_answer(lane, *key);
}

std::int64_t forget_expired_keys(db::lane& lane, std::int64_t limit)
{
    return idempotent::delete_expired(lane, limit);
}

} // namespace heddle::http
