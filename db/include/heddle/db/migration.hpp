// Brings a database's tables to what a program wants by numbered SQL files, each of which runs once.
#pragma once

#include <heddle/db/driver.hpp>
#include <heddle/db/transaction.hpp>
#include <heddle/fiber/clock.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace heddle::db {

// "0007_prices.sqlite.sql" and "0007_prices.postgres.sql"; or "0007_prices.sql", for both. Numbers count from
// 1 without gaps. What a file that ran has done is changed by the next file, never in it.
//
// Those that are missing run in one transaction. A file whose first line is "-- heddle: no transaction" is
// one statement that PostgreSQL takes outside of a transaction only, such as CREATE INDEX CONCURRENTLY: it
// runs alone, after those before it are committed, and is written down before it begins and when it has
// ended. One that has begun and not ended, also because the server refuses it, is looked at by a human first.
struct migration_file
{
    std::string name; // without a directory
    std::string text;
};

// Those of a directory: what ends in ".sql". To have them inside of the program, see heddle-migrations.
// Blocks: reads them. Throws: config_error.
std::vector<migration_file> read_migrations(const std::string& directory);

struct migration_options
{
    // What has run: number, name, checksum, state, ran_at. Lower-case letters, digits and '_'.
    std::string table = "heddle_migrations";
    // How many of the files have run already where that table is missing: for databases that are older than
    // it. Looks only. May throw config_error, if the tables are another program's.
    std::function<std::int64_t(transaction&)> ran_before = {};
    // Longest wait for another instance that is at it. With SQLite that is the driver's `lock_budget`.
    fiber::duration wait_budget = std::chrono::minutes(1);
    // Longest time to connect.
    fiber::duration connect_budget = std::chrono::seconds(5);
};

// The names of those that have not run: "0007_prices". Changes nothing.
// Parks. Throws: as migrate().
std::vector<std::string> pending_migrations(const std::shared_ptr<driver>& driver,
                                            const std::vector<migration_file>& files,
                                            const migration_options& options = {});

// Runs those that have not run, and returns their names. Of several instances that start together one does
// it, and the others wait; where there is nothing to do, a role that may read `table` is enough. A
// statement may take as long as it needs (with SQLite, a file as long as the driver's `statement_ceiling`);
// for a lock it waits for the driver's `lock_budget`.
// Parks.
// Throws: config_error where files and database do not fit: wrong names, gaps, a file that has changed since
// it ran or is gone, a database that is newer than the program, a file that began outside of a transaction
// and did not end; error(unavailable) when it is not this one's turn in time; what the database says.
std::vector<std::string> migrate(const std::shared_ptr<driver>& driver,
                                 const std::vector<migration_file>& files,
                                 const migration_options& options = {});

} // namespace heddle::db
