// What PostgreSQL says, as heddle's errors.
#pragma once

#include <heddle/db/error.hpp>

#include "postgres/handles.hpp"

#include <string>
#include <string_view>

namespace heddle::db::pg {

// The five characters of an SQLSTATE; empty if the server said nothing, as after a lost connection.
std::string_view sqlstate_of(const PGresult* r) noexcept;

kind kind_of(std::string_view sqlstate) noexcept;

// Whether a connection on which this happened must not be lent again.
bool is_fatal(std::string_view sqlstate) noexcept;

// Whether a prepared statement was refused because the schema, or the server behind the connection, is
// another one than when it was prepared. The server's function is what tells it from other things that are
// not supported.
bool is_stale_statement(const PGresult* r) noexcept;

// Whether this answer to COMMIT says that nothing was written. A FATAL or a PANIC does not: the server goes
// away, or its disk does, perhaps after the commit was written down.
bool proves_rollback(const PGresult* r) noexcept;

// Throws db::error with the server's message; `sql` is named in it. For the log: a client gets the kind only.
[[noreturn]] void fail(const PGresult* r, std::string_view sql);
error error_of(heddle::kind kind, const PGresult* r, std::string_view sql); // what the next throws
[[noreturn]] void fail(heddle::kind kind, const PGresult* r, std::string_view sql);

// Why libpq could not connect, or lost the connection; on one line.
std::string reason_of(const PGconn* c);

} // namespace heddle::db::pg
