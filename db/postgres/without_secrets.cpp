// What may be shown of a connection string: libpq itself knows which of its options are passwords.
#include <heddle/db/postgres.hpp>

#include "postgres/handles.hpp"

#include <cstring>

namespace heddle::db {

namespace {

// As keywords and values want it: in quotes, unless nothing in it needs them.
std::string quoted(const std::string& value)
{
    if (value.find_first_of(" '\\\t\n\r\f\v") == value.npos && !value.empty())
        return value;
    std::string out = "'";
    for (const char c : value) {
        if (c == '\'' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + "'";
}

} // namespace

std::optional<std::string> without_secrets(const std::string& connection)
{
    const pg::options_handle options{PQconninfoParse(connection.c_str(), nullptr)};
    if (!options)
        return std::nullopt;
    std::string shown;
    for (const auto* option = options.get(); option->keyword; ++option)
        if (option->val && std::strchr(option->dispchar, '*') == nullptr)
            shown += (shown.empty() ? "" : " ") + std::string(option->keyword) + '=' + quoted(option->val);
    return shown;
}

} // namespace heddle::db
