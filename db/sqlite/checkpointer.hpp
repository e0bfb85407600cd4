// Writes the write-ahead log back into the file, so that it stays bounded: off the workers, beside readers
// and the writer, on a connection of its own. SQLite's own way, inside of some COMMIT, would make that one
// request pay for all.
#pragma once

#include <heddle/db/sqlite.hpp>
#include <heddle/fiber/condition_variable.hpp>
#include <heddle/fiber/mutex.hpp>
#include <heddle/fiber/semaphore.hpp>

#include "sqlite/connection.hpp"

#include <atomic>
#include <cstdint>
#include <memory>

namespace heddle::db::lite {

class writer;

class checkpointer : public std::enable_shared_from_this<checkpointer>
{
public:
    // `readers`: a permit for each transaction that reads.
    checkpointer(sqlite_options options, std::shared_ptr<fiber::semaphore> readers);

    // Whether another transaction may write: the log is never longer than its limit and one COMMIT.
    bool has_room() const noexcept { return log_bytes_ < options_.log_limit; }
    // Parks: until it has, for at most `limit`. Not for who has the turn.
    // Throws: error(unavailable), if readers keep the log that long; deadline_exceeded, cancelled.
    void wait_for_room(fiber::duration limit, const std::shared_ptr<lite::writer>& writer);

    // For who has the turn and has begun: whether the log may begin anew with this transaction, which waits
    // for the disk whatever the durability.
    bool may_begin_log() noexcept;

    // After each commit, and before the next begins: how long the log is now. Starts a checkpoint on a fiber
    // of its own when that is worth it; `writer` is asked for its turn when the log must begin anew.
    void log_has(std::int64_t bytes, const std::shared_ptr<lite::writer>& writer) noexcept;

private:
    void start(const std::shared_ptr<lite::writer>& writer) noexcept;
    void run(lite::writer& writer);
    void open();
    template <class F>
    auto checkpoint(F&& f);
    std::int64_t write_back();
    void begin_anew(lite::writer& writer);
    void empty_log(lite::writer& writer, fiber::time_point until);
    bool is_long() const noexcept { return log_bytes_ > options_.log_limit / 2; }

    const sqlite_options options_;
    const std::shared_ptr<fiber::semaphore> readers_;
    std::atomic<bool> runs_ = false;
    std::atomic<std::int64_t> log_bytes_ = 0; // written by who has the writer's turn
    fiber::mutex room_mutex_;                 // held where log_bytes_ gets smaller
    fiber::condition_variable room_;
    std::atomic<std::int64_t> written_back_at_ = 0; // the log's length when it was last written back
    std::atomic<std::uint32_t> checkpoints_ = 0;    // begun and ended ones: odd while one runs
    std::uint32_t checkpoints_seen_ = 1;            // for who has the turn; so that the first log counts
    std::unique_ptr<connection> connection_;        // opened by the first checkpoint; for the one that runs
};

} // namespace heddle::db::lite
