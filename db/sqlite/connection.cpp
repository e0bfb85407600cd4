// Runs the application's statements, and what none of them may be: BEGIN, COMMIT, ROLLBACK.
#include "sqlite/connection.hpp"

#include "sqlite/errors.hpp"

#include <heddle/db/error.hpp>
#include <heddle/fiber/offload.hpp>

#include <sqlite3.h>

#include <memory>
#include <string>
#include <utility>

namespace heddle::db::lite {

namespace {

constexpr const char* own_texts[] = {"BEGIN", "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"};

std::string savepoint(std::size_t depth)
{
    return "heddle_" + std::to_string(depth);
}

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

void connection::run_own(const std::string& sql)
{
    own_runs_ = true;
    const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
    own_runs_ = false;
    if (code == SQLITE_OK)
        return;
    note(code);
    fail(handle_, code, sql);
}

int connection::run_own(own which)
{
    const auto i = static_cast<std::size_t>(which);
    own_runs_ = true;
    int code = SQLITE_OK;
    if (!own_[i])
        code = sqlite3_prepare_v3(handle_, own_texts[i], -1, SQLITE_PREPARE_PERSISTENT, &own_[i], nullptr);
    if (code == SQLITE_OK) {
        code = sqlite3_step(own_[i]);
        sqlite3_reset(own_[i]);
    }
    own_runs_ = false;
    if (code == SQLITE_DONE)
        return SQLITE_OK;
    note(code);
    return code;
}

void connection::begin()
{
    if (depth_ > 0) {
        run_own("SAVEPOINT " + savepoint(depth_));
        ++depth_;
        return;
    }
    watch_.begin();
    const int code = run_own(access_ == access::read ? own::begin_read : own::begin_write);
    if (code != SQLITE_OK)
        fail(handle_, code, {});
    depth_ = 1;
}

void connection::commit()
{
    watch_.end();
    if (depth_ == 1)
        return commit_outermost();
    const watch::protection protection{watch_};
    run_own("RELEASE " + savepoint(depth_ - 1));
    --depth_;
}

void connection::commit_outermost()
{
    stop_statements();
    const watch::protection protection{watch_};
    int code = SQLITE_OK;
    const bool waits = std::exchange(expects_sync_, false) || (access_ == access::write && syncs_);
    if (waits) // a worker must not
        code = fiber::offload([&] {
            const watch::on_helper_thread blocking{watch_};
            return run_own(own::commit);
        });
    else
        code = run_own(own::commit);
    if (code != SQLITE_OK)
        fail_commit(handle_, code);
    depth_ = 0;
}

void connection::rollback()
{
    watch_.end();
    if (depth_ == 0)
        return;
    const auto inner = --depth_;
    if (sqlite3_get_autocommit(handle_) != 0)
        return; // it is gone already, savepoints and all
    stop_statements();
    const watch::protection protection{watch_};
    if (inner > 0) {
        run_own("ROLLBACK TO " + savepoint(inner));
        run_own("RELEASE " + savepoint(inner));
        return;
    }
    if (const int code = run_own(own::rollback); code != SQLITE_OK) {
        broken_ = true;
        fail(handle_, code, "ROLLBACK");
    }
}

std::size_t connection::depth() const noexcept
{
    return sqlite3_get_autocommit(handle_) != 0 ? 0 : depth_;
}

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
    const std::string text(sql);
    const int code = sqlite3_exec(handle_, text.c_str(), nullptr, nullptr, nullptr);
    watch_.end();
    if (code == SQLITE_OK)
        return;
    note(code);
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
}

} // namespace heddle::db::lite
