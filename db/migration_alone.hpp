// What PostgreSQL takes outside of a transaction only.
#pragma once

#include <heddle/db/migration.hpp>

#include "migration_turn.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heddle::db::migrating {

// Runs the file of that number, and returns its name; empty: another instance has run it meanwhile.
// Parks. Throws: as migrate().
std::string run_alone(const std::shared_ptr<driver>& driver, const std::vector<migration_file>& files,
                      const migration_options& options, std::int64_t number, const turn& turn);

} // namespace heddle::db::migrating
