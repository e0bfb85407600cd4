// The rows of the one statement that runs on a connection, as they come (libpq's single-row mode), so that a
// result of any size takes the memory of one row.
#pragma once

#include <heddle/db/driver.hpp>

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
    result row_;
    mutable std::vector<scratch> scratches_; // one for each column
    std::int64_t changed_ = 0;
    int opening_ = 0;        // results of BEGIN and its like that come first
    bool may_renew_ = false; // it was prepared earlier, and nothing of its result has come yet
    bool ended_ = false;
};

} // namespace heddle::db::pg
