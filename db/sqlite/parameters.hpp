// `$1` is a name to SQLite: a statement's parameters are bound by the number in the name, never by their
// position.
#pragma once

#include <heddle/db/value.hpp>

#include <span>
#include <string_view>
#include <vector>

struct sqlite3_stmt;

namespace heddle::db::lite {

class parameters
{
public:
    // Throws: error(internal) for `?`, `?1`, `:name`, `@name`, and for numbers with a gap.
    parameters(sqlite3_stmt* statement, std::string_view sql);

    // What the values look at must live until the statement has been reset.
    // Throws: error(internal) for another number of values; error(value) for what SQLite cannot keep.
    void bind(sqlite3_stmt* statement, std::span<const value> values, std::string_view sql) const;

private:
    std::vector<int> numbers_; // numbers_[i]: the number of SQLite's parameter i + 1, counted from 1
    std::size_t expected_ = 0; // the largest number
};

} // namespace heddle::db::lite
