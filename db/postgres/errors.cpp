// Which SQLSTATE is which kind of error, and which of them end a connection.
#include "postgres/errors.hpp"

#include <heddle/db/error.hpp>

#include <algorithm>

namespace heddle::db::pg {

namespace {

std::string on_one_line(std::string text)
{
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

std::string message_of(const PGresult* r)
{
    if (const char* primary = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY))
        return on_one_line(primary);
    const auto whole = on_one_line(PQresultErrorMessage(r));
    return whole.empty() ? "the connection was lost" : whole;
}

std::string in_statement(std::string_view sql)
{
    constexpr std::size_t most = 200;
    if (sql.empty())
        return {};
    return " in: " + std::string(sql.substr(0, most)) + (sql.size() > most ? "..." : "");
}

std::string_view field_of(const PGresult* r, int which) noexcept
{
    const char* field = PQresultErrorField(r, which);
    return field ? field : "";
}

// The server has ended the session: a transaction was idle, or open, for longer than its settings allow.
bool is_time_out(std::string_view sqlstate) noexcept
{
    return sqlstate == "25P03" || sqlstate == "25P04";
}

} // namespace

std::string_view sqlstate_of(const PGresult* r) noexcept
{
    return field_of(r, PG_DIAG_SQLSTATE);
}

// Source: PostgreSQL's manual, appendix A.
kind kind_of(std::string_view sqlstate) noexcept
{
    const auto of_class = [&](std::string_view one) { return sqlstate.starts_with(one); };
    if (of_class("23"))
        return kind::constraint;
    if (sqlstate == "40001" || sqlstate == "40P01" ||
        sqlstate == "55P03") // the last: a lock that was not to be had
        return kind::conflict;
    if (sqlstate ==
        "57014") // by statement_timeout or an administrator: our own requests to stop never get here
        return kind::deadline;
    if (sqlstate.empty() || of_class("08") || of_class("53") || of_class("57P") || of_class("58") ||
        of_class("28") || is_time_out(sqlstate))
        return kind::unavailable;
    if (of_class("22"))
        return kind::value;
    return kind::internal;
}

bool is_fatal(std::string_view sqlstate) noexcept
{
    return sqlstate.empty() || sqlstate.starts_with("08") || sqlstate.starts_with("57P") ||
           is_time_out(sqlstate);
}

bool is_stale_statement(const PGresult* r) noexcept
{
    const auto code = sqlstate_of(r);
    return code == "26000" ||
           (code == "0A000" && field_of(r, PG_DIAG_SOURCE_FUNCTION) == "RevalidateCachedQuery");
}

bool proves_rollback(const PGresult* r) noexcept
{
    const auto code = sqlstate_of(r);
    return field_of(r, PG_DIAG_SEVERITY_NONLOCALIZED) == "ERROR" && !is_fatal(code) &&
           !code.starts_with("58") && !code.starts_with("XX");
}

void fail(const PGresult* r, std::string_view sql)
{
    fail(kind_of(sqlstate_of(r)), r, sql);
}

void fail(heddle::kind kind, const PGresult* r, std::string_view sql)
{
    throw error_of(kind, r, sql);
}

error error_of(heddle::kind kind, const PGresult* r, std::string_view sql)
{
    return {kind, message_of(r) + in_statement(sql), std::string(sqlstate_of(r))};
}

std::string reason_of(const PGconn* c)
{
    const auto text = on_one_line(PQerrorMessage(c));
    return text.empty() ? "the connection was lost" : text;
}

} // namespace heddle::db::pg
