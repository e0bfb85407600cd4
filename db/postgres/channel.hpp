// One libpq connection as a fiber sees it: what was sent, the results that come back, and how a statement is
// ended whose request has ended. A statement is never left behind: its permit and its lease stand for it
// until the server has said that it is over, or the connection has been given up.
#pragma once

#include <heddle/fiber/clock.hpp>

#include "postgres/handles.hpp"
#include "postgres/helpers.hpp"
#include "postgres/socket_watch.hpp"

#include <atomic>
#include <memory>
#include <optional>

namespace heddle::db::pg {

struct channel_options
{
    fiber::duration stop_budget;
    fiber::duration lost_after;
};

// Used by one fiber at a time.
class channel
{
public:
    // `cancels` must outlive it. Throws: std::system_error, std::bad_alloc.
    channel(connection_handle connected, helpers& cancels, channel_options options);

    PGconn* raw() const noexcept { return connection_.get(); }
    PGTransactionStatusType transaction_status() const noexcept { return PQtransactionStatus(raw()); }

    // After a PQsend... function, or PQpipelineSync, with what it returned: sends what is left of it.
    // Throws: error(unavailable); deadline_exceeded, cancelled. The connection is broken then.
    void send(int accepted);

    // The next result; empty after the last. In a pipeline the last is PGRES_PIPELINE_SYNC, and the
    // pipeline's end. Parks: until it is there. Throws: deadline_exceeded, cancelled, error(unavailable) if
    // it was interrupted: the statement has been stopped.
    result next();

    // The same, but nothing stops the statement. Returns: nothing if the scope has ended first.
    std::optional<result> next_to_the_end();

    // In a pipeline, after the result of a command: the statement that follows it will come row by row.
    void begin_rows() noexcept;

    // Whether results are still to come.
    bool is_busy() const noexcept { return busy_; }

    // Whether a COMMIT is among what was answered since the last send(), also to those who have not read it.
    bool has_seen_commit() const noexcept { return commit_seen_; }

    // Waits a little for results that nobody wants, which are often on their way, and stops the statement
    // then. Never throws for the scope's end.
    void abandon();

    // It must not be lent again, and is not waited for.
    void give_up() noexcept;
    // The same; the server may still be at work, and is counted until it has ended or `lost_after` has
    // passed.
    void lose() noexcept;
    void mark_broken() noexcept { broken_ = true; }
    bool is_broken() const noexcept { return broken_; }

    // Stops the statement that runs, if one does. Threads: any.
    void interrupt() noexcept;

    // Parks: until the server has closed its end, so that its slot is free when ours is; and for a statement
    // that may still run there until that is seen or `lost_after` has passed.
    void close();

private:
    enum class waited
    {
        ready,
        scope_ended,
        interrupted,
    };

    waited wait_for_result(bool heeds_interrupt);
    bool wait_for_input();
    result take();
    bool drain();
    void stop();
    std::shared_ptr<helpers::job> start_cancel() noexcept;
    void find_lost();

    helpers& cancels_;
    const channel_options options_;
    connection_handle connection_;
    std::optional<socket_watch> watch_;
    std::shared_ptr<PGcancel> cancel_; // shared with helpers, which may hang with it
    bool may_be_unread_ = false; // something of what the last edge announced
    bool busy_ = false;
    bool commit_seen_ = false;
    bool broken_ = false;
    bool silent_ = false; // the server has not answered in time: nobody waits for it again
    std::atomic<bool> interrupted_ = false;
    std::shared_ptr<helpers::job> lost_cancel_; // of a statement that may still run at the server
    fiber::time_point lost_until_{};
};

} // namespace heddle::db::pg
