// The stored answers: a key is taken, its answer written, read back, and deleted when it has expired. By the
// database's own clock, which all instances share.
#pragma once

#include <heddle/db/lane.hpp>
#include <heddle/http/response.hpp>

#include "idempotent/key.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace heddle::idempotent {

enum class taking
{
    taken,   // by this transaction: the key was free
    known,   // it has been used
    refused, // another transaction has it, and did not end in time; this one can only be rolled back
};

// Parks: in PostgreSQL, while another transaction has taken the key.
taking take(db::transaction& tx, const key& key, std::chrono::seconds keep);

// For the key that this transaction has taken.
void store(db::transaction& tx, const key& key, const http::response& answer);

// The answer of a key that has been used: what was stored, or 422 if that was for another request.
http::response answer_of(db::transaction& tx, const key& key);

// The same, in a transaction of its own; nothing if the key is free.
std::optional<http::response> find_answer(db::lane& lane, const key& key);

// At most `limit`, in a transaction of its own. Returns how many.
std::int64_t delete_expired(db::lane& lane, std::int64_t limit);

} // namespace heddle::idempotent
