// The table of idempotency keys, in both databases' words: one more step of a program's own migrations.
#pragma once

#include <heddle/db/sql.hpp>

namespace heddle::http {

// A key, whose it is and where it holds (a digest: a path may be longer than an index takes), what was asked
// for (a digest), until when it is remembered, and what was answered.
inline constexpr db::sql idempotency_table{
    .sqlite = R"(
    CREATE TABLE idempotency_keys (
        key TEXT NOT NULL, scope BLOB NOT NULL, fingerprint BLOB NOT NULL,
        expires_at INTEGER NOT NULL, -- seconds since 1970
        status INTEGER, headers BLOB, body BLOB, PRIMARY KEY (key, scope)) WITHOUT ROWID;
    CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);)",
    .postgres = R"(
    CREATE TABLE idempotency_keys (
        key TEXT NOT NULL, scope BYTEA NOT NULL, fingerprint BYTEA NOT NULL,
        expires_at TIMESTAMPTZ NOT NULL,
        status INTEGER, headers BYTEA, body BYTEA, PRIMARY KEY (key, scope));
    CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);)",
};

} // namespace heddle::http
