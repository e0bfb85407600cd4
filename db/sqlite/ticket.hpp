// A session for writing: outside a transaction nothing but the right to queue for the writer's turn. As many
// as like may hold one.
#pragma once

#include <heddle/db/driver.hpp>

#include "sqlite/writer.hpp"

#include <atomic>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace heddle::db::lite {

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
    writer::turn end_turn() noexcept;

    std::shared_ptr<lite::writer> writer_;
    writer::turn turn_;                     // from begin to commit or rollback
    fiber::time_point began_;               // the turn
    bool alone_ = false;                    // shares no COMMIT
    fiber::duration lock_wait_{};           // for the turn, for another process's lock: all that begin() took
    std::atomic<bool> interrupted_ = false; // looked at by the writer's watch during this ticket's turn
};

} // namespace heddle::db::lite
