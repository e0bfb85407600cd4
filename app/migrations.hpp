// Brings a database's tables from the version they have to the one that this program wants. The version
// stands in a table of its own, changes with the tables in one transaction, and counts from 1; 0: there is
// none.
#pragma once

#include <heddle/db/sql.hpp>
#include <heddle/db/transaction.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace orders {

namespace db = heddle::db;

// Makes other instances that start now wait until the end of the transaction, which must be read committed:
// what comes after this sees what they have done.
// Parks: until it is this one's turn.
void lock_out_others(db::transaction& tx);

std::int64_t schema_version(db::transaction& tx);

// Takes the steps that are missing: steps[n] leads from version n to n + 1.
void migrate(db::transaction& tx, std::int64_t from, std::span<const db::sql> steps);

// The names of a table's columns with spaces between them; empty if there is no such table.
std::string columns_of(db::transaction& tx, const std::string& table);

} // namespace orders
