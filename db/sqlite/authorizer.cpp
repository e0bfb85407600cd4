// Lists what is refused, and the few pragmas that harm nobody.
#include "sqlite/authorizer.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace heddle::db::lite {

namespace {

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) noexcept
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Questions that take an argument, and settings that belong to the file and to the transaction that makes
// them.
constexpr std::array<std::string_view, 13> with_argument{
    "application_id", "defer_foreign_keys", "foreign_key_check", "foreign_key_list", "index_info",
    "index_list",     "index_xinfo",        "integrity_check",   "quick_check",      "table_info",
    "table_list",     "table_xinfo",        "user_version"};

// Without an argument these do something all the same.
constexpr std::array<std::string_view, 4> deeds{"incremental_vacuum", "optimize", "shrink_memory",
                                                "wal_checkpoint"};

bool allows_pragma(std::string_view name, bool has_argument) noexcept
{
    return has_argument ? is_one_of(name, with_argument) : !is_one_of(name, deeds);
}

} // namespace

int authorize(int action, const char* first, const char* second) noexcept
{
    switch (action) {
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_TRIGGER:
    case SQLITE_CREATE_TEMP_VIEW:
        return SQLITE_DENY;
    case SQLITE_PRAGMA:
        return allows_pragma(first ? first : "", second != nullptr) ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_OK;
    }
}

} // namespace heddle::db::lite
