// The database under test: a new SQLite file, or, where services/with_postgres.py has started one, a
// PostgreSQL of which everything was removed.
#pragma once

#include <heddle/db/postgres.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/testing/temporary_directory.hpp>

#include "outside_driver.hpp"
#include "services.hpp"

#include <cstdlib>
#include <memory>

inline std::shared_ptr<heddle::db::driver>
empty_database(const heddle::testing::temporary_directory& directory)
{
    if (!std::getenv("HEDDLE_TEST_POSTGRES"))
        return heddle::db::sqlite({.path = directory.path("orders.db")});
    services::ask_blocking("sql DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    return std::make_shared<outside::driver>(heddle::db::postgres({.connection = services::postgres()}));
}
