// A prepared statement, and while it runs the cursor over its rows: running one that is in the cache
// allocates nothing.
#pragma once

#include <heddle/db/driver.hpp>

#include "sqlite/parameters.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct sqlite3_stmt;

namespace heddle::db::lite {

class connection;

class statement final : public cursor
{
public:
    // Takes over `handle`. The connection must outlive it.
    statement(connection& owner, sqlite3_stmt* handle, std::string_view text);
    ~statement();
    statement(const statement&) = delete;
    statement& operator=(const statement&) = delete;

    std::string_view text() const noexcept { return text_; }
    bool is_open() const noexcept { return open_; }

    // Binds and opens it; what `values` look at must live until close().
    void start(std::span<const value> values);

    // Its next close() destroys it: for the second of two that run at once with the same text.
    static open_cursor once(std::unique_ptr<statement> one);

    bool next() override;
    std::size_t columns() const noexcept override;
    std::string_view name(std::size_t column) const noexcept override;
    value at(std::size_t column) const override;
    std::int64_t changed() const noexcept override { return changed_; }
    void close() noexcept override;

private:
    connection& owner_;
    sqlite3_stmt* handle_;
    const std::string text_;
    const parameters parameters_;
    std::int64_t changed_ = 0;
    std::int64_t changes_before_ = 0; // of the whole connection
    bool open_ = false;
    bool once_ = false;
};

} // namespace heddle::db::lite
