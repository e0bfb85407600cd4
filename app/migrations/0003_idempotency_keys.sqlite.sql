-- What http::idempotent remembers: <heddle/idempotent/table.hpp>.
CREATE TABLE idempotency_keys (
    key TEXT NOT NULL, scope BLOB NOT NULL, fingerprint BLOB NOT NULL,
    expires_at INTEGER NOT NULL, -- seconds since 1970
    status INTEGER, headers BLOB, body BLOB, PRIMARY KEY (key, scope)) WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
