// What `heddle bench` measures over PostgreSQL.
#pragma once

#include <heddle/db/database.hpp>
#include <heddle/http/router.hpp>

namespace app {

// Connects as the PG* variables of the environment say, with 8 connections at most.
heddle::db::database_options bench_postgres();

// GET /db-pg, /queries-pg?n=20, /updates-pg?n=5, /fortunes and /slow-pg. The database must outlive the
// router.
void mount_postgres(heddle::http::router& router, heddle::db::database& database);

} // namespace app
