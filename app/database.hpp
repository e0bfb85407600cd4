// The database that the settings ask for: a SQLite file or a PostgreSQL server.
#pragma once

#include "settings.hpp"

#include <memory>

namespace app {

// Throws: nothing; whether it can be reached is seen when it is used.
std::shared_ptr<heddle::db::driver> driver_of(const settings& with);

// Makes the tables and, in a new database, the orders that are generated.
// Parks: until the database can be had, for at most `start_budget`, and while it works.
// Throws: config_error if the tables are not ours; what the database says.
void prepare(const std::shared_ptr<heddle::db::driver>& driver, const settings& with);

heddle::db::database_options database_options(const settings& with,
                                              std::shared_ptr<heddle::db::driver> driver);

} // namespace app
