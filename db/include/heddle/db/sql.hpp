// The text of a statement. Where two databases want two texts both are written down, side by side.
#pragma once

#include <string>
#include <string_view>

namespace heddle::db {

enum class dialect
{
    sqlite,
    postgres
};

// db::sql{.sqlite = "...", .postgres = "..."}
struct sql
{
    std::string_view sqlite;
    std::string_view postgres;
};

// What every function that runs a statement takes. Must not outlive its text.
class statement_text
{
public:
    statement_text(const char* text) : texts_{text, text} {}
    statement_text(std::string_view text) : texts_{text, text} {}
    statement_text(const std::string& text) : texts_{text, text} {}
    statement_text(const sql& texts) : texts_(texts) {}

    std::string_view in(dialect which) const noexcept
    {
        return which == dialect::sqlite ? texts_.sqlite : texts_.postgres;
    }

private:
    sql texts_;
};

} // namespace heddle::db
