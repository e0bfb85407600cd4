-- What http::idempotent remembers: <heddle/idempotent/table.hpp>.
CREATE TABLE idempotency_keys (
    key TEXT NOT NULL, scope BYTEA NOT NULL, fingerprint BYTEA NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    status INTEGER, headers BYTEA, body BYTEA, PRIMARY KEY (key, scope));
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
