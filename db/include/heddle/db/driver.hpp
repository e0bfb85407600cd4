// What a database has to offer so that lanes, transactions and typed rows work on it. A session is one
// borrower's connection, not a dialect; a cursor is one statement that runs.
#pragma once

#include <heddle/db/sql.hpp>
#include <heddle/db/value.hpp>
#include <heddle/fiber/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::db {

// The rows of a statement, one after the other. `next` may park; the others look at the current row.
class cursor
{
public:
    // Moves to the next row; false after the last.
    // Throws: db::error; deadline_exceeded, cancelled (the scope ended: the statement has been stopped).
    virtual bool next() = 0;

    // Known from the first `next` on, also when there is no row.
    virtual std::size_t columns() const noexcept = 0;
    virtual std::string_view name(std::size_t column) const noexcept = 0;

    // The current row's; what it looks at is valid until the next `next`.
    virtual value at(std::size_t column) const = 0;

    // Rows inserted, updated or deleted; known after the last `next`.
    virtual std::int64_t changed() const noexcept = 0;

    // Ends the statement, also with rows left. Called once, last, by open_cursor.
    virtual void close() noexcept = 0;

protected:
    ~cursor() = default;
};

struct cursor_closer
{
    void operator()(cursor* c) const noexcept { c->close(); }
};

using open_cursor = std::unique_ptr<cursor, cursor_closer>;

enum class access
{
    read, // sees one state of the database, changes nothing
    write,
};

// What other transactions may be seen to do. A database may offer more than it is asked for: SQLite's are all
// serializable.
enum class isolation
{
    standard, // as the database is set up
    read_committed,
    repeatable_read,
    serializable,
};

struct begin_options
{
    db::access access = access::read;
    bool stand_alone = false; // each statement that follows may be its own transaction
    db::isolation isolation = isolation::standard;
    bool deferrable = false; // a serializable read that waits until it cannot fail
    bool group = true;       // may share its COMMIT with others, where the database does that
};

// What execute() takes.
struct statement_call
{
    std::string_view sql;
    std::span<const value> parameters;
};

// Used by one fiber at a time, from any thread of the runtime.
class session
{
public:
    virtual ~session() = default; // never parks; where there is time for it, close() comes first

    // Opens a transaction, or inside one a savepoint. commit and rollback end the innermost of them.
    // Parks: until it is this session's turn to write.
    // Throws: error(unavailable) when the lock cannot be had; deadline_exceeded, cancelled.
    virtual void begin(const begin_options& options) = 0;

    // Parks: until the outcome is known; neither the scope's end nor its deadline ends that, unless nothing
    // can have been written.
    // Throws: error when nothing was committed (the transaction must still be rolled back); commit_unknown.
    virtual void commit() = 0;

    // Does nothing if the database has ended the transaction by itself.
    // Throws: read_undone, which counts for more than what the transaction ended with.
    virtual void rollback() = 0;

    // Whether the innermost transaction or savepoint that was begun is still there.
    virtual bool in_transaction() const noexcept = 0;

    // Starts a statement; its first row comes with the first `next`. `parameters` and what they look at must
    // live until the cursor is closed. `$1` is parameters[0].
    virtual open_cursor execute(std::string_view sql, std::span<const value> parameters) = 0;

    // Says which statements execute() will be called with next, one after the other, so that they can be sent
    // before the first is answered. `calls` and what it looks at must live until the last of them.
    virtual void send_ahead(std::span<const statement_call>) {}

    // Runs a text of several statements without parameters and without rows.
    virtual void script(std::string_view sql) = 0;

    // Asks the database whether it is there.
    virtual void ping() = 0;

    // Stops the statement that runs, if one does; it ends with an error. Not a COMMIT or ROLLBACK.
    // Threads: any.
    virtual void interrupt() noexcept = 0;

    // Whether it may be lent to another borrower.
    virtual bool healthy() const noexcept = 0;

    // Takes back what a borrower may have left in it. Called after each transaction; the scope's end does not
    // stop it.
    virtual void reset() = 0;

    // Says goodbye. Parks. Nothing but the destructor comes after it.
    virtual void close() = 0;

    // For the operation's record: waited for locks since `begin`.
    virtual fiber::duration lock_wait() const noexcept = 0;

    virtual db::dialect dialect() const noexcept = 0;
};

// Transactions that shared a COMMIT, where the database does that.
struct group_statistics
{
    std::uint64_t groups = 0;  // COMMITs
    std::uint64_t members = 0; // transactions in them, a lone one counted too
    std::uint64_t held_up = 0; // bodies that kept finished ones waiting for longer than they should
};

// Opens sessions. Lives as long as the database that was built with it.
class driver
{
public:
    virtual ~driver() = default;

    // Parks.
    // Throws: error(unavailable).
    virtual std::unique_ptr<session> open(access access) = 0;

    // Sessions for writing are not connections but tickets for the one writer: they are pooled apart, as many
    // as the lanes let run.
    virtual bool writes_by_ticket() const noexcept = 0;

    // Whether what a session is told stays with it from one transaction to the next.
    virtual bool keeps_sessions() const noexcept { return true; }

    // Appends one line for each option that cannot work.
    virtual void check(std::vector<std::string>& wrong) const = 0;

    // "orders.db": for messages.
    virtual const std::string& name() const noexcept = 0;

    virtual group_statistics groups() const noexcept { return {}; }
};

} // namespace heddle::db
