// The database that the settings ask for: a SQLite file or a PostgreSQL server.
#pragma once

#include "settings.hpp"

#include <memory>

namespace app {

// Throws: nothing; whether it can be reached is seen when it is used.
std::shared_ptr<heddle::db::driver> driver_of(const settings& with);

heddle::db::database_options database_options(const settings& with,
                                              std::shared_ptr<heddle::db::driver> driver);

} // namespace app
