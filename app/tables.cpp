// The tables of the order service: what the files in app/migrations make, and how older databases, which say
// nothing of files, are known.
#include "orders.hpp"

#include <heddle/base/error.hpp>

#include <optional>
#include <string>

namespace orders {

std::vector<db::migration_file> migration_files(); // made of app/migrations

namespace {

constexpr const char* columns_of_orders = "id customer_id state total_cents placed_at";
constexpr std::int64_t unmarked = 1; // as many files as had run where the tables say nothing at all

constexpr db::sql columns{.sqlite = "SELECT group_concat(name, ' ') FROM pragma_table_info($1)",
                          .postgres = "SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute "
                                      "WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped"};

// With spaces between them; empty if there is no such table.
std::string columns_of(db::transaction& tx, const std::string& table)
{
    return tx.one<std::optional<std::string>>(columns, table).value_or("");
}

void require_ours(bool is_ours)
{
    if (!is_ours)
        throw heddle::config_error(
            "the database's tables are another program's: \"orders\" is not as this one makes it: give this "
            "program a database of its own (database.url or database.path)");
}

// The table schema_version was kept before there were files. It stays as it is: the program that made it may
// be started again.
std::int64_t ran_before(db::transaction& tx)
{
    const auto found = columns_of(tx, "orders");
    const auto version = columns_of(tx, "schema_version").empty()
                             ? 0
                             : tx.one<std::int64_t>("SELECT version FROM schema_version");
    require_ours(found.empty() ? version == 0 : found == columns_of_orders);
    return version == 0 && !found.empty() ? unmarked : version;
}

} // namespace

std::vector<std::string> missing_tables(const std::shared_ptr<db::driver>& driver)
{
    return db::pending_migrations(driver, migration_files(), {.ran_before = ran_before});
}

std::vector<std::string> create_tables(const std::shared_ptr<db::driver>& driver)
{
    return db::migrate(driver, migration_files(), {.ran_before = ran_before});
}

void require_tables(db::lane& reads)
{
    reads.read([](db::transaction& tx) { require_ours(columns_of(tx, "orders") == columns_of_orders); });
}

} // namespace orders
