// Steps through a statement, and shows SQLite's columns as values.
#include "sqlite/statement.hpp"

#include "sqlite/connection.hpp"
#include "sqlite/errors.hpp"

#include <sqlite3.h>

namespace heddle::db::lite {

statement::statement(connection& owner, sqlite3_stmt* handle, std::string_view text)
    : owner_(owner), handle_(handle), text_(text), parameters_(handle, text)
{
}

statement::~statement()
{
    sqlite3_finalize(handle_);
}

void statement::start(std::span<const value> values)
{
    parameters_.bind(handle_, values, text_);
    changed_ = 0;
    changes_before_ = sqlite3_total_changes64(owner_.handle());
    open_ = true;
    owner_.watch().begin();
}

open_cursor statement::once(std::unique_ptr<statement> one)
{
    one->once_ = true;
    return open_cursor{one.release()};
}

bool statement::next()
{
    owner_.watch().stepping(sqlite3_stmt_readonly(handle_) != 0);
    const int code = sqlite3_step(handle_);
    if (code == SQLITE_ROW)
        return true;
    owner_.watch().end();
    if (code == SQLITE_DONE) {
        // Without a change sqlite3_changes still counts those of an earlier statement.
        if (sqlite3_total_changes64(owner_.handle()) != changes_before_)
            changed_ = sqlite3_changes64(owner_.handle());
        sqlite3_reset(handle_); // a read outside a transaction lets go of the file's state here
        return false;
    }
    owner_.note(code);
    owner_.watch().check_ceiling();
    fail(owner_.handle(), code, text_);
}

std::size_t statement::columns() const noexcept
{
    return static_cast<std::size_t>(sqlite3_column_count(handle_));
}

std::string_view statement::name(std::size_t column) const noexcept
{
    const char* name = sqlite3_column_name(handle_, static_cast<int>(column));
    return name ? name : "";
}

value statement::at(std::size_t column) const
{
    const int i = static_cast<int>(column);
    switch (sqlite3_column_type(handle_, i)) {
    case SQLITE_INTEGER:
        return value::integer(sqlite3_column_int64(handle_, i));
    case SQLITE_FLOAT:
        return value::real(sqlite3_column_double(handle_, i));
    case SQLITE_TEXT: { // the text first: asking for its size may convert it
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(handle_, i));
        return value::text({text, static_cast<std::size_t>(sqlite3_column_bytes(handle_, i))});
    }
    case SQLITE_BLOB: {
        const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(handle_, i));
        return value::bytes({data, static_cast<std::size_t>(sqlite3_column_bytes(handle_, i))});
    }
    default:
        return value::null();
    }
}

void statement::close() noexcept
{
    sqlite3_reset(handle_);
    open_ = false;
    if (once_)
        delete this; // NOLINT: once() gave it to its cursor
}

} // namespace heddle::db::lite
