// SQLite as a database: one file in write-ahead mode, many readers beside one writer.
#pragma once

#include <heddle/db/driver.hpp>
#include <heddle/fiber/clock.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace heddle::db {

enum class durability
{
    full,   // a committed transaction survives a power cut
    normal, // it survives the end of the process; a power cut may undo the last ones, never half of one
};

struct sqlite_options
{
    // Of the file; made if it is missing. Not ":memory:": readers and the writer have handles of their own.
    std::string path;
    db::durability durability = durability::full;
    // Longest wait for the turn to write, and then for the lock that another process may hold.
    fiber::duration lock_budget = std::chrono::seconds(2);
    // Longest time of a statement, with what its rows' reader does between them, where no deadline is
    // shorter: a read that never ends keeps the log from being begun anew. Zero: any.
    fiber::duration statement_ceiling = std::chrono::minutes(5);
    // Bytes of the write-ahead log. Past half of it, it is begun anew as soon as no old reader needs it; who
    // wants to write when it is that long waits, for `lock_budget`. One COMMIT may exceed it.
    std::int64_t log_limit = 64 * 1024 * 1024;
    // Transactions that queue for the turn to write share one COMMIT, each in a savepoint of its own. It
    // comes when nobody is ready to be next, before the next begins when the oldest has waited for
    // `group_wait`, and when there are `group_limit` of them (1: nothing is shared). A body that takes long
    // keeps those that have finished waiting. They are not undone for it: a statement of its that writes is
    // stopped `lock_budget` after its deadline at the earliest. A body that waits for another request, or for
    // a service, opts out by `transaction_options::group`.
    fiber::duration group_wait = std::chrono::milliseconds(2);
    std::size_t group_limit = 256;
    std::size_t statements = 128; // prepared statements kept for each connection
};

// The result goes into database_options::driver. A statement has at most 1000 parameters; what needs more is
// several statements in one transaction.
std::shared_ptr<driver> sqlite(sqlite_options options);

} // namespace heddle::db
