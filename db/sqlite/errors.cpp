// Which of SQLite's codes is whose fault.
#include "sqlite/errors.hpp"

#include <heddle/db/error.hpp>
#include <heddle/fiber/scope.hpp>

#include <sqlite3.h>

#include <string>

namespace heddle::db::lite {

namespace {

kind kind_of(int code, std::string_view message) noexcept
{
    switch (code & 0xff) {
    case SQLITE_CONSTRAINT:
        return kind::constraint;
    case SQLITE_BUSY:
        return code == SQLITE_BUSY_SNAPSHOT ? kind::conflict : kind::unavailable;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_NOMEM:
    case SQLITE_INTERRUPT: // by session::interrupt: the scope's end has been looked at before
        return kind::unavailable;
    case SQLITE_TOOBIG:
    case SQLITE_RANGE:
    case SQLITE_MISMATCH:
        return kind::value;
    case SQLITE_ERROR: // no code of its own
        return message == "too many SQL variables" ? kind::value : kind::internal;
    default:
        return kind::internal;
    }
}

std::string explain(int code, std::string_view message)
{
    switch (code & 0xff) {
    case SQLITE_AUTH:
        return "refused inside a lane's transaction (" + std::string(message) +
               "): BEGIN, COMMIT, ROLLBACK and SAVEPOINT are the lane's, and settings of the connection, "
               "temporary "
               "tables and attached files would reach the next borrower";
    case SQLITE_BUSY:
        return "the database's lock could not be had in time (" + std::string(message) + ")";
    default:
        return std::string(message);
    }
}

std::string in_statement(std::string_view sql)
{
    constexpr std::size_t most = 200;
    if (sql.empty())
        return {};
    return " in: " + std::string(sql.substr(0, most)) + (sql.size() > most ? "..." : "");
}

} // namespace

void fail(sqlite3* handle, int code, std::string_view sql)
{
    const std::string message = handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
    if ((code & 0xff) == SQLITE_INTERRUPT || (code & 0xff) == SQLITE_BUSY)
        fiber::scope::check_current();
    throw error(kind_of(code, message), explain(code, message) + in_statement(sql), std::to_string(code));
}

void fail_commit(sqlite3* handle, int code)
{
    const auto primary = code & 0xff;
    const bool still_open = sqlite3_get_autocommit(handle) == 0;
    // An open transaction has not been committed. A full disk undoes it; after any other trouble the log may
    // or may not have the commit's frame.
    if (still_open || primary == SQLITE_FULL || primary == SQLITE_CONSTRAINT)
        fail(handle, code, {});
    throw commit_unknown("COMMIT failed, and whether anything was written is not known: " +
                             std::string(sqlite3_errmsg(handle)),
                         std::to_string(code));
}

bool is_fatal(int code) noexcept
{
    switch (code & 0xff) {
    case SQLITE_IOERR:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_CANTOPEN:
    case SQLITE_NOMEM:
        return true;
    default:
        return false;
    }
}

} // namespace heddle::db::lite
