// A session for reading: a connection of its own, which sees the state of the last commit before its first
// statement.
#pragma once

#include <heddle/db/driver.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/fiber/semaphore.hpp>

#include "sqlite/connection.hpp"

#include <atomic>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace heddle::db::lite {

class reader final : public session
{
public:
    // `readers`: a permit for each transaction that reads.
    reader(std::unique_ptr<connection> connection, std::shared_ptr<fiber::semaphore> readers)
        : readers_(std::move(readers)), connection_(std::move(connection))
    {
        connection_->watch().use(&interrupted_);
    }

    void begin(const begin_options& options) override;
    void commit() override;
    void rollback() override;
    bool in_transaction() const noexcept override { return stand_alone_ || connection_->depth() > 0; }
    open_cursor execute(std::string_view sql, std::span<const value> parameters) override;
    void script(std::string_view sql) override;
    void ping() override;
    void interrupt() noexcept override { interrupted_.store(true, std::memory_order_relaxed); }
    bool healthy() const noexcept override { return !connection_->is_broken(); }
    void reset() override;
    void close() override;
    fiber::duration lock_wait() const noexcept override
    {
        return connection_->watch().lock_wait() - lock_wait_before_;
    }
    db::dialect dialect() const noexcept override { return dialect::sqlite; }

private:
    void begin_outermost(const begin_options& options);
    void end_outermost() noexcept;

    const std::shared_ptr<fiber::semaphore> readers_;
    fiber::semaphore::permit place_;         // among the readers, from begin to commit or rollback
    std::unique_ptr<connection> connection_; // never empty before close()
    bool stand_alone_ = false;               // no BEGIN: each statement is its own transaction
    fiber::duration lock_wait_before_{};
    std::atomic<bool> interrupted_ = false; // looked at by the connection's watch
};

} // namespace heddle::db::lite
