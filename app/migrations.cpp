// SQLite has one writer at a time, so there the transaction is the lock; PostgreSQL has a lock for
// everything.
#include "migrations.hpp"

#include <cstddef>
#include <optional>

namespace orders {

namespace {

// The number is any that no other program takes for its own: "heddle" in ASCII. Others may have to fill the
// database first, which takes longer than a request may wait.
constexpr db::sql lock{.sqlite = "",
                       .postgres = "SET LOCAL lock_timeout = '1min'; "
                                   "SELECT pg_advisory_xact_lock(x'686564646c65'::bigint)"};

constexpr db::sql columns{.sqlite = "SELECT group_concat(name, ' ') FROM pragma_table_info($1)",
                          .postgres = "SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute "
                                      "WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped"};

} // namespace

void lock_out_others(db::transaction& tx)
{
    tx.script(lock);
}

std::string columns_of(db::transaction& tx, const std::string& table)
{
    return tx.one<std::optional<std::string>>(columns, table).value_or("");
}

std::int64_t schema_version(db::transaction& tx)
{
    if (columns_of(tx, "schema_version").empty())
        return 0;
    return tx.one<std::int64_t>("SELECT version FROM schema_version");
}

void migrate(db::transaction& tx, std::int64_t from, std::span<const db::sql> steps)
{
    if (from == static_cast<std::int64_t>(steps.size()))
        return; // and a role that may not change tables is enough
    if (columns_of(tx, "schema_version").empty())
        tx.script("CREATE TABLE schema_version (version INTEGER NOT NULL); "
                  "INSERT INTO schema_version VALUES (0)");
    for (const auto& step : steps.subspan(static_cast<std::size_t>(from)))
        tx.script(step);
    tx.run("UPDATE schema_version SET version = $1", steps.size());
}

} // namespace orders
