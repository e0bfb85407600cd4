// One SQLite handle, set up the way every one of ours is, with its statements and the nesting of its
// transactions.
#pragma once

#include <heddle/db/driver.hpp>
#include <heddle/db/sqlite.hpp>

#include "sqlite/statement.hpp"
#include "sqlite/watch.hpp"
#include "statement_cache.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

struct sqlite3;
struct sqlite3_stmt;

namespace heddle::db::lite {

// Used by one fiber, or one helper thread, at a time.
class connection
{
public:
    // Opens the file. Blocks its thread: run it on a helper thread.
    // Throws: error(unavailable).
    connection(const sqlite_options& options, db::access access);
    // Blocks as well if it is the file's last connection: SQLite then writes the log back.
    ~connection();
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    // BEGIN; SAVEPOINT inside a transaction, or where finished ones have not been committed yet.
    void begin();
    // The next COMMIT waits for the disk, whatever the durability.
    void expect_sync() noexcept { expects_sync_ = true; }
    // finish(), and COMMIT if it was the outermost.
    void commit();
    // Ends the innermost, which may still be undone together with all that have finished, and not by itself.
    // Throws: error, and it can still be rolled back.
    void finish();
    // ROLLBACK, or back to the savepoint and release it. Nothing if SQLite has ended the transaction by
    // itself. If the savepoint cannot be had back, all that have finished are undone.
    void rollback();

    // Those that have finished: COMMIT, ROLLBACK. The scope's end does not stop a COMMIT.
    void commit_finished();
    void undo_finished();
    // Whether there is something to commit or to undo.
    bool is_open() const noexcept;
    // Whether one of them has set what lasts until COMMIT and would reach those that follow.
    bool has_setting() const noexcept { return has_setting_; }
    // Called when a failing statement has made SQLite undo all of it. Never parks, never throws.
    void on_loss(std::function<void()> f) noexcept { on_loss_ = std::move(f); }

    // Transactions and savepoints begun and not ended; 0 when SQLite has ended them all.
    std::size_t depth() const noexcept;
    bool has_begun() const noexcept { return depth_ > 0; } // also when SQLite has ended it since

    open_cursor execute(std::string_view sql, std::span<const value> parameters);
    void script(std::string_view sql);

    // Copies what the log has into the file, as far as readers allow. Returns how many of its bytes are in
    // the file now. Blocks its thread: run it on a helper thread.
    std::int64_t write_log_back();
    // The same, and waits for readers until nothing of the log is needed any more; then it is cut to
    // nothing. Returns whether it was.
    bool empty_log();
    // Its length after the last commit of this connection.
    std::int64_t log_bytes() const noexcept { return log_pages_ * page_size_; }

    // Ends every open statement.
    void stop_statements() noexcept;

    sqlite3* handle() const noexcept { return handle_; }
    lite::watch& watch() noexcept { return watch_; }

    // Remembers that it must not be used again if `code` says so.
    void note(int code) noexcept;
    bool is_broken() const noexcept { return broken_; }

private:
    // What no application's statement may be; each is prepared once.
    enum class own : std::size_t
    {
        begin_read,
        begin_write,
        commit,
        rollback,
        savepoint,
        release,
        rollback_to,
        count
    };

    void open(const sqlite_options& options);
    void close() noexcept;
    void prepare_own();
    void configure(const sqlite_options& options);
    void enter_wal_mode();
    void run_own(const std::string& sql);
    int run_own(own which);
    void require_own(own which);
    void require_kept_foreign_keys();
    std::int64_t ask_number(const char* sql);
    std::unique_ptr<statement> prepare(std::string_view sql);
    bool checkpoint(int mode, int* copied);

    const db::access access_;
    const bool syncs_; // COMMIT waits for the disk
    sqlite3* handle_ = nullptr;
    lite::watch watch_;
    statement_cache<statement> statements_;
    std::array<sqlite3_stmt*, static_cast<std::size_t>(own::count)> own_{};
    std::size_t depth_ = 0;
    std::int64_t log_pages_ = 0;
    std::int64_t page_size_ = 0;
    std::function<void()> on_loss_;
    bool joined_ = false; // the outermost is a savepoint: it began while finished ones waited
    bool expects_sync_ = false;
    bool has_setting_ = false;
    bool own_runs_ = false; // the authorizer lets pass what we run ourselves
    bool broken_ = false;
};

} // namespace heddle::db::lite
