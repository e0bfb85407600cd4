// Which statements have been announced to a connection, how many of them are sent, and which one's result is
// read next. They go in portions that fit into a socket's buffer: the server may be held up by its own
// answers, and then reads nothing.
#pragma once

#include <heddle/db/driver.hpp>

#include "postgres/prepared.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace heddle::db::pg {

struct ahead_statement
{
    statement_call call;
    prepared* how;
    bool was_kept; // it had been prepared before
};

class ahead
{
public:
    ahead() = default;
    explicit ahead(std::vector<ahead_statement> statements) : statements_(std::move(statements)) {}

    void clear() noexcept { *this = ahead(); }

    // Whether it is this call's turn: the announced one itself, not one that looks the same, nor another one at
    // the place where an announced one was.
    bool comes_next(std::string_view sql, std::span<const value> parameters) const noexcept;

    // The next one's portion, if it has still to be sent; counts as sent from now on.
    std::span<const ahead_statement> portion() noexcept;

    // The next one. Counts as read.
    const ahead_statement& take() noexcept { return statements_[taken_++]; }

    // Whether another's result will come in the same portion.
    bool has_more_in_flight() const noexcept { return taken_ < sent_; }

private:
    std::vector<ahead_statement> statements_;
    std::size_t sent_ = 0;
    std::size_t taken_ = 0;
};

} // namespace heddle::db::pg
