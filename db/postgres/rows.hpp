// The rows of the one statement that is read on a connection, as they come (libpq's single-row mode), so that
// a result of any size takes the memory of one row. Statements that were sent together come whole.
#pragma once

#include <heddle/db/driver.hpp>

#include "postgres/ahead.hpp"
#include "postgres/handles.hpp"
#include "postgres/parameters.hpp"
#include "postgres/prepared.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heddle::db::pg {

class connection;

// A part of its connection, used again for each statement.
class rows final : public cursor
{
public:
    explicit rows(connection& owner) noexcept : owner_(owner) {}

    // Sends the statement.
    void start(prepared& statement, bool was_kept, std::span<const value> values);

    // The statement has been sent: `opening` results come before its own; behind it `more` of others.
    void take(const ahead_statement& sent, int opening, bool more);

    bool is_open() const noexcept { return statement_ != nullptr; }

    bool next() override;
    std::size_t columns() const noexcept override { return statement_->columns().size(); }
    std::string_view name(std::size_t column) const noexcept override
    {
        return statement_->column_name(column);
    }
    value at(std::size_t column) const override;
    std::int64_t changed() const noexcept override { return changed_; }
    void close() noexcept override;

private:
    void open(prepared& statement, bool was_kept, std::span<const value> values);
    int queue();
    void send();
    void send_with_opening();
    void read_opening();
    bool renew();
    void end(const PGresult* last);
    [[noreturn]] void fail(result failure);

    connection& owner_;
    prepared* statement_ = nullptr; // open
    std::span<const value> values_;
    parameters parameters_;
    result row_;  // or rows, of a result that has come whole
    int at_ = 0; // the current one in it
    mutable std::vector<scratch> scratches_; // one for each column
    std::int64_t changed_ = 0;
    int opening_ = 0;        // results of BEGIN and its like that come first
    bool may_renew_ = false; // it was prepared earlier, and nothing of its result has come yet
    bool alone_ = true; // no result of another statement comes behind its own
    bool ended_ = false;
};

} // namespace heddle::db::pg
