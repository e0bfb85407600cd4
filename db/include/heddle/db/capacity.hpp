// Whether a PostgreSQL server has room for the connections that its clients may open together at their peak:
// it refuses what is too many, and then often those who would need it most.
#pragma once

#include <heddle/db/lane.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::db {

// Connections, but for `instances`.
struct connection_demand
{
    std::int64_t instances = 1;  // at the peak: with those that overlap while a new version is rolled out
    std::int64_t pool_size = 8;  // of each instance
    std::int64_t probes = 1;     // of each instance: readiness has one of its own
    std::int64_t batch = 0;      // jobs and migrations, under the instances' role
    std::int64_t operations = 0; // people, backups and monitoring
    std::int64_t others = 0;     // of other programs, to the same server
};

inline constexpr std::int64_t no_limit = -1;

// What a server allows the role that asks, in the database it is connected to.
struct connection_limits
{
    std::int64_t max_connections = 0;
    std::int64_t superuser_reserved = 0; // and those of `reserved_connections`, which PostgreSQL 16 has
    std::string role = {};
    bool is_superuser = false; // who may take reserved ones, and is held to no limit of role or database
    std::int64_t role_limit = no_limit;
    std::string database = {};
    std::int64_t database_limit = no_limit;
    std::int64_t open_now = 0; // by all clients
};

struct capacity
{
    bool is_enough = true;
    std::vector<std::string> lines; // the whole computation, for people
    std::string shortage = {};      // in one line; empty if there is none
};

// Parks. Throws: what a lane throws.
connection_limits read_connection_limits(lane& reads);

capacity compare(const connection_demand& demand, const connection_limits& limits);

} // namespace heddle::db
