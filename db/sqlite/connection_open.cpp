// Opens a handle and sets it up the way every one of ours is.
#include "sqlite/authorizer.hpp"
#include "sqlite/connection.hpp"
#include "sqlite/errors.hpp"

#include <heddle/db/error.hpp>

#include <sqlite3.h>

#include <string>

namespace heddle::db::lite {

namespace {

// SQLite looks a name up among all those before it, uninterrupted: 1000 take it 10 ms, 32 000 some 10 s.
constexpr int most_parameters = 1000;

} // namespace

connection::connection(const sqlite_options& options, db::access access)
    : access_(access),
      syncs_(options.durability == durability::full),
      watch_(options.lock_budget, options.statement_ceiling),
      statements_(options.statements)
{
    const watch::on_helper_thread blocking{watch_};
    try {
        open(options);
    } catch (...) {
        close();
        throw;
    }
}

connection::~connection()
{
    close();
}

void connection::close() noexcept
{
    statements_.clear();
    for (auto* statement : own_)
        sqlite3_finalize(statement);
    sqlite3_close_v2(handle_);
}

void connection::open(const sqlite_options& options)
{
    constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                          SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE;
    if (const int code = sqlite3_open_v2(options.path.c_str(), &handle_, flags, nullptr); code != SQLITE_OK)
        throw error(kind::unavailable,
                    options.path + ": " + (handle_ ? sqlite3_errmsg(handle_) : "out of memory"),
                    std::to_string(code));
    watch_.attach(handle_, access_ == access::read);
    configure(options);
    sqlite3_set_authorizer(
        handle_,
        [](void* self, int action, const char* first, const char* second, const char*, const char*) {
            auto& mine = *static_cast<connection*>(self);
            if (mine.own_runs_)
                return SQLITE_OK;
            mine.has_setting_ = mine.has_setting_ || (action == SQLITE_PRAGMA && second);
            return authorize(action, first, second);
        },
        this);
    prepare_own();
}

void connection::configure(const sqlite_options& options)
{
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_limit(handle_, SQLITE_LIMIT_VARIABLE_NUMBER, most_parameters);
    enter_wal_mode();
    run_own(options.durability == durability::full ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
    run_own("PRAGMA foreign_keys=ON");
    run_own("PRAGMA journal_size_limit=" + std::to_string(options.log_limit / 2));
    run_own("PRAGMA temp_store=MEMORY");
    if (access_ == access::read)
        run_own("PRAGMA query_only=ON");
    sqlite3_wal_autocheckpoint(handle_, 0); // the checkpointer's business
    page_size_ = ask_number("PRAGMA page_size");
    sqlite3_wal_hook(
        handle_,
        [](void* self, sqlite3*, const char*, int pages) {
            static_cast<connection*>(self)->log_pages_ = pages;
            return SQLITE_OK;
        },
        this);
}

// Two who open a new file both want to change its mode. SQLite asks neither of them to wait there, lest they
// wait for each other.
void connection::enter_wal_mode()
{
    constexpr const char* text = "PRAGMA journal_mode=WAL";
    int code = SQLITE_OK;
    int attempt = 0;
    do
        code = sqlite3_exec(handle_, text, nullptr, nullptr, nullptr);
    while ((code & 0xff) == SQLITE_BUSY && watch_.wait_for_lock(attempt++));
    if (code != SQLITE_OK)
        fail(handle_, code, text);
}

std::int64_t connection::ask_number(const char* sql)
{
    sqlite3_stmt* question = nullptr;
    int code = sqlite3_prepare_v2(handle_, sql, -1, &question, nullptr);
    if (code == SQLITE_OK)
        code = sqlite3_step(question);
    const auto answer = code == SQLITE_ROW ? sqlite3_column_int64(question, 0) : 0;
    sqlite3_finalize(question);
    if (code != SQLITE_ROW)
        fail(handle_, code, sql);
    return answer;
}

} // namespace heddle::db::lite
