// The one connection that writes, and the tickets for it: as many as like may hold one, one at a time has its
// turn.
#pragma once

#include <heddle/db/driver.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/fiber/semaphore.hpp>

#include "sqlite/checkpointer.hpp"
#include "sqlite/connection.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace heddle::db::lite {

class writer : public std::enable_shared_from_this<writer>
{
public:
    writer(const sqlite_options& options, std::shared_ptr<fiber::semaphore> readers)
        : options_(options), checkpointer_(std::make_shared<lite::checkpointer>(options, std::move(readers)))
    {
    }

    // Parks: until everybody who came before has ended their transaction, and then for room in the log; each
    // for at most `lock_budget`.
    // Throws: deadline_exceeded, cancelled; error(unavailable) when that is over, or if the file cannot be
    // opened.
    fiber::semaphore::permit take_turn();
    // The turn alone, without what it is for.
    std::optional<fiber::semaphore::permit> try_take_turn_for(fiber::duration limit);

    // Only for who has the turn.
    lite::connection& connection() noexcept { return *connection_; }
    lite::checkpointer& checkpointer() noexcept { return *checkpointer_; }

private:
    const sqlite_options options_;
    fiber::semaphore turn_{1, "the turn to write"};
    std::unique_ptr<lite::connection> connection_; // opened by the first turn, and anew when it has broken
    const std::shared_ptr<lite::checkpointer> checkpointer_;
};

// A session for writing. Outside a transaction it is nothing but the right to queue for the writer's turn.
class ticket final : public session
{
public:
    explicit ticket(std::shared_ptr<lite::writer> writer) : writer_(std::move(writer)) {}

    void begin(const begin_options& options) override;
    void commit() override;
    void rollback() override;
    bool in_transaction() const noexcept override { return turn_ && writer_->connection().depth() > 0; }
    open_cursor execute(std::string_view sql, std::span<const value> parameters) override;
    void script(std::string_view sql) override;
    void ping() override {} // there is nothing that could be dead
    void interrupt() noexcept override { interrupted_.store(true, std::memory_order_relaxed); }
    bool healthy() const noexcept override { return !turn_; }
    void reset() override {}
    void close() override {}
    fiber::duration lock_wait() const noexcept override { return lock_wait_; }
    db::dialect dialect() const noexcept override { return dialect::sqlite; }

private:
    void begin_in_turn();
    void end_turn() noexcept;

    std::shared_ptr<lite::writer> writer_;
    fiber::semaphore::permit turn_;         // from begin to commit or rollback
    fiber::duration lock_wait_{};           // for the turn, for another process's lock: all that begin() took
    std::atomic<bool> interrupted_ = false; // looked at by the writer's watch during this ticket's turn
};

} // namespace heddle::db::lite
