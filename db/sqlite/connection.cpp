// Runs the application's statements, and writes the log back.
#include "sqlite/connection.hpp"

#include "sqlite/errors.hpp"

#include <heddle/db/error.hpp>

#include <sqlite3.h>

#include <memory>
#include <string>
#include <utility>

namespace heddle::db::lite {

namespace {

void require_text(std::string_view sql)
{
    if (sql.find('\0') != std::string_view::npos)
        throw error(kind::internal, "a statement's text has a NUL in it; give such values as parameters");
}

// Whether nothing but space, semicolons and comments follows.
bool is_blank(sqlite3* handle, const char* rest, const char* end)
{
    while (rest != end) {
        sqlite3_stmt* next = nullptr;
        const char* after = nullptr;
        const int code = sqlite3_prepare_v3(handle, rest, static_cast<int>(end - rest), 0, &next, &after);
        const bool is_statement = code != SQLITE_OK || next != nullptr;
        sqlite3_finalize(next);
        if (is_statement)
            return false;
        if (after == rest)
            return true;
        rest = after;
    }
    return true;
}

} // namespace

void connection::stop_statements() noexcept
{
    for (auto* one = sqlite3_next_stmt(handle_, nullptr); one; one = sqlite3_next_stmt(handle_, one))
        if (sqlite3_stmt_busy(one))
            sqlite3_reset(one);
}

std::unique_ptr<statement> connection::prepare(std::string_view sql)
{
    require_text(sql);
    sqlite3_stmt* handle = nullptr;
    const char* rest = nullptr;
    const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &handle, &rest);
    if (code != SQLITE_OK) {
        note(code);
        fail(handle_, code, sql);
    }
    std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> guard{handle, sqlite3_finalize};
    if (!handle)
        throw error(kind::internal, "there is no statement in: " + std::string(sql));
    if (!is_blank(handle_, rest, sql.data() + sql.size()))
        throw error(kind::internal, "more than one statement; use script() for: " + std::string(sql));
    if (access_ == access::read && !sqlite3_stmt_readonly(handle))
        throw error(kind::internal,
                    "a statement that writes needs run() or transaction(): " + std::string(sql));
    auto result = std::make_unique<statement>(*this, handle, sql);
    guard.release(); // NOLINT: the statement has it
    return result;
}

open_cursor connection::execute(std::string_view sql, std::span<const value> parameters)
{
    auto* known = statements_.find(sql);
    if (known && !known->is_open()) {
        known->start(parameters);
        return open_cursor{known};
    }
    auto fresh = prepare(sql);
    fresh->start(parameters);
    if (known) // runs already, further out
        return statement::once(std::move(fresh));
    return open_cursor{&statements_.insert(std::move(fresh))};
}

void connection::script(std::string_view sql)
{
    require_text(sql);
    watch_.begin();
    watch_.stepping(false);
    const std::string text(sql);
    const int code = sqlite3_exec(handle_, text.c_str(), nullptr, nullptr, nullptr);
    watch_.end();
    if (code == SQLITE_OK)
        return;
    note(code);
    watch_.check_ceiling();
    fail(handle_, code, text);
}

std::int64_t connection::write_log_back()
{
    int copied = 0;
    checkpoint(SQLITE_CHECKPOINT_PASSIVE, &copied);
    return copied * page_size_;
}

bool connection::empty_log()
{
    return checkpoint(SQLITE_CHECKPOINT_TRUNCATE, nullptr);
}

// Returns whether nobody was in the way.
bool connection::checkpoint(int mode, int* copied)
{
    const watch::on_helper_thread blocking{watch_};
    const int code = sqlite3_wal_checkpoint_v2(handle_, nullptr, mode, nullptr, copied);
    if (code == SQLITE_OK)
        return true;
    if ((code & 0xff) == SQLITE_BUSY)
        return false;
    note(code);
    fail(handle_, code, "checkpoint");
}

void connection::note(int code) noexcept
{
    broken_ = broken_ || is_fatal(code);
    if (depth_ > 0 && on_loss_ && !is_open())
        on_loss_();
}

} // namespace heddle::db::lite
