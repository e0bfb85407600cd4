// PostgreSQL as a database, through libpq. Every connection reads and writes; which of the two a borrower
// wants decides how its transaction begins.
#pragma once

#include <heddle/db/driver.hpp>
#include <heddle/db/error.hpp>
#include <heddle/fiber/clock.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace heddle::db {

// When a connection's settings, temporary tables, advisory locks and the like are taken back before it is
// lent to another borrower.
enum class reset_policy
{
    when_dirty, // after any statement but plain SELECT, INSERT, UPDATE, DELETE; and after set_config and
                // advisory locks of the session
    always,     // after every transaction; for functions that change settings where the text does not show it
    never,
};

struct postgres_options
{
    std::string connection; // as psql takes it: "host=... dbname=...", a URI, several hosts, service=...
    std::string application_name = "heddle"; // in pg_stat_activity
    fiber::duration commit_budget =
        std::chrono::seconds(2); // for COMMIT's answer; then the outcome is unknown
    // How long a request that has ended waits for its statement to end at the server. After it the connection
    // is given up, and counted until its cancel has reached the server or `lost_after` has passed.
    fiber::duration stop_budget = std::chrono::milliseconds(150);
    fiber::duration lost_after = std::chrono::seconds(30);
    fiber::duration lock_budget = std::chrono::seconds(2); // the server's lock_timeout
    fiber::duration statement_ceiling =
        std::chrono::minutes(5);  // its statement_timeout where no deadline is shorter
    std::size_t statements = 256; // prepared statements kept for each connection
    reset_policy reset = reset_policy::when_dirty;
    // Run on each new connection, and again after each reset: "SET search_path = shop". heddle's own settings
    // come after it. A connection on which it fails is not used.
    std::string init_sql = {};
    // Whether a connection on which a running statement has failed like this is closed. Empty: the SQLSTATE
    // decides (08..., 57P01 to 57P05; 25006 where it was to write). Never parks, never throws. A connection
    // that is lost is closed whatever this says.
    std::function<bool(const error&)> evict = {};
    // Behind a pooler that lends a server connection for one transaction (pgbouncer, pool_mode=transaction):
    // nothing is kept in the session, statements are prepared each time, and each read has its BEGIN.
    bool transaction_pooling = false;
};

// `connection` as keywords and values without its passwords, to be shown; nothing if it cannot be read.
std::optional<std::string> without_secrets(const std::string& connection);

// The result goes into database_options::driver.
std::shared_ptr<driver> postgres(postgres_options options);

} // namespace heddle::db
