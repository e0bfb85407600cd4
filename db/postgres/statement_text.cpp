// Looks at a statement's first word and for a few names, without parsing it.
#include "postgres/statement_text.hpp"

#include <algorithm>
#include <initializer_list>

namespace heddle::db::pg {

namespace {

constexpr char lower(char c) noexcept
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool is_letter(char c) noexcept
{
    return (lower(c) >= 'a' && lower(c) <= 'z') || c == '_';
}

bool is_same(std::string_view word, std::string_view lower_case) noexcept
{
    return std::equal(word.begin(), word.end(), lower_case.begin(), lower_case.end(),
                      [](char a, char b) { return lower(a) == b; });
}

bool contains(std::string_view sql, std::string_view lower_case) noexcept
{
    return std::search(sql.begin(), sql.end(), lower_case.begin(), lower_case.end(),
                       [](char a, char b) { return lower(a) == b; }) != sql.end();
}

// Behind a comment that nests, as SQL's do.
std::size_t behind_block_comment(std::string_view sql, std::size_t at) noexcept
{
    for (int depth = 0; at < sql.size();) {
        const auto two = sql.substr(at, 2);
        depth += two == "/*" ? 1 : two == "*/" ? -1 : 0;
        at += two == "/*" || two == "*/" ? 2 : 1;
        if (depth == 0)
            break;
    }
    return at;
}

// From the first letter on: behind space, comments, parentheses and empty statements.
std::string_view from_first_word(std::string_view sql) noexcept
{
    std::size_t at = 0;
    while (at < sql.size() && !is_letter(sql[at])) {
        if (sql.substr(at, 2) == "--")
            at = std::min(sql.find('\n', at), sql.size());
        else if (sql.substr(at, 2) == "/*")
            at = behind_block_comment(sql, at);
        else
            ++at;
    }
    return sql.substr(std::min(at, sql.size()));
}

std::string_view first_word(std::string_view sql) noexcept
{
    const auto rest = from_first_word(sql);
    std::size_t size = 0;
    while (size < rest.size() && is_letter(rest[size]))
        ++size;
    return rest.substr(0, size);
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) noexcept
{
    return std::any_of(words.begin(), words.end(), [&](std::string_view one) { return is_same(word, one); });
}

} // namespace

bool is_transaction_control(std::string_view sql) noexcept
{
    return is_one_of(first_word(sql),
                     {"begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release"});
}

bool is_dirtying(std::string_view sql) noexcept
{
    const auto word = first_word(sql);
    if (!is_one_of(word,
                   {"select", "insert", "update", "delete", "merge", "with", "values", "table", "show"}))
        return true;
    if (contains(sql, "set_config") || contains(sql, "advisory_lock"))
        return true;
    // SELECT ... INTO makes a table, which may be a temporary one. The word elsewhere costs a reset, no more.
    return !is_same(word, "insert") && contains(sql, "into");
}

bool may_end_transaction(std::string_view script) noexcept
{
    const auto is_part = [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
    for (std::size_t at = 0; at < script.size();) {
        std::size_t size = 0;
        while (at + size < script.size() && is_part(script[at + size]))
            ++size;
        if (is_one_of(script.substr(at, size), {"commit", "end", "prepare", "rollback", "abort"}))
            return true;
        at += size + 1;
    }
    return false;
}

} // namespace heddle::db::pg
