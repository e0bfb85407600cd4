// A session: one connection to the server, its statements, and the nesting of its transactions.
#pragma once

#include <heddle/db/driver.hpp>
#include <heddle/db/postgres.hpp>

#include "postgres/ahead.hpp"
#include "postgres/channel.hpp"
#include "postgres/preparer.hpp"
#include "postgres/rows.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::db::pg {

class connection final : public session
{
public:
    // Parks: to set the session up.
    // `cancels` must outlive it.
    connection(connection_handle connected, helpers& cancels, const postgres_options& options);

    void begin(const begin_options& options) override;
    void commit() override;
    void rollback() override;
    bool in_transaction() const noexcept override;
    open_cursor execute(std::string_view sql, std::span<const value> parameters) override;
    void send_ahead(std::span<const statement_call> calls) override;
    void script(std::string_view sql) override;
    void ping() override;
    void interrupt() noexcept override { channel_.interrupt(); }
    bool healthy() const noexcept override;
    void reset() override;
    void close() override { channel_.close(); }
    fiber::duration lock_wait() const noexcept override { return {}; } // the server does not tell
    db::dialect dialect() const noexcept override { return dialect::postgres; }

    // For its rows:
    pg::channel& channel() noexcept { return channel_; }
    pg::preparer& preparer() noexcept { return preparer_; }
    bool has_begun() const noexcept { return depth_ > 0; }
    // The BEGIN that waits for its first statement: 0, or how many commands send_opening() has put into the
    // pipeline that `c` is in, each of which will have a result.
    bool is_opening() const noexcept { return opening_.has_value(); }
    int send_opening(PGconn* c);
    // Statements that were sent ahead are not answered any more, or their answers not wanted.
    void forget_ahead() noexcept { ahead_.clear(); }
    // After each statement: throws if it has begun or ended a transaction behind the lane's back.
    void check_transaction(std::string_view sql);
    // Throws what the server has answered.
    [[noreturn]] void refuse(const PGresult* failure, std::string_view sql);

private:
    struct answered
    {
        result failure;        // the first
        bool controls = false; // whether one has begun, ended or nested a transaction
    };

    pg::ahead prepare_ahead(std::span<const statement_call> calls);
    open_cursor next_ahead();
    int send_portion(std::span<const ahead_statement> portion);
    void begin_outermost(const begin_options& options);
    void open_now();
    void commit_outermost();
    void judge_commit(const PGresult* answer);
    void roll_back_outermost();
    bool await_answer(int accepted, result& answer);
    void require_alive() const;
    void finish_rows();
    void note_failure(const char* message);
    void run(const std::string& sql);
    answered read_all(const std::string& sql);
    bool may_have_committed(std::string_view script, bool has_failed) const noexcept;
    prepared& prepare(std::string_view sql);
    static std::vector<std::string> forms_of_text(const std::string& set);
    std::vector<std::string> opening_commands() const;
    std::string setup_text() const;
    void set_up();
    bool needs_reset() const noexcept;

    const postgres_options options_;
    pg::channel channel_;
    pg::preparer preparer_;
    pg::rows rows_{*this};
    pg::ahead ahead_;
    std::size_t depth_ = 0;                // BEGIN and savepoints that were begun and not ended
    bool stand_alone_ = false;             // no BEGIN: each statement is its own transaction
    std::optional<begin_options> opening_; // begun here, and not yet at the server
    fiber::time_point deadline_ = fiber::never; // of the scope in which it was begun
    db::access access_ = access::read;
    bool dirty_ = false;        // something may be left in the session
    std::string first_failure_; // in this transaction
};

} // namespace heddle::db::pg
