// Every failure that a caller can only pass up. A failure carries its kind, so that the code which turns it
// into an answer needs to know neither the database nor the network.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

namespace heddle {

enum class kind
{
    overloaded,       // no capacity now; nothing was done
    unavailable,      // something this needs cannot be had now; nothing was done
    conflict,         // another transaction got in the way; nothing was written
    constraint,       // the data break a rule of the database
    deadline,         // the time of the request was over in the middle of its work
    cancelled,        // nobody waits for the answer any more
    outcome_unknown,  // COMMIT was sent and its answer lost
    upstream,         // a service behind this one failed
    upstream_timeout, // a service behind this one did not answer in time
    value,            // a value from outside that cannot be represented
    internal,         // everything else: a bug, or the world at its worst
};

// The root of heddle's exceptions.
class error : public std::runtime_error
{
public:
    error(heddle::kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}

    heddle::kind kind() const noexcept { return kind_; }

    // What failed as well, when the work before this error was to be undone; empty if nothing did.
    const std::string& failed_undo() const noexcept { return failed_undo_; }
    void attach_failed_undo(std::string what) noexcept { failed_undo_ = std::move(what); }

private:
    heddle::kind kind_;
    std::string failed_undo_;
};

// Refused before it queued, or after it queued for as long as it may. Nothing of it was done.
class overloaded : public error
{
public:
    enum class why
    {
        full,      // every place to run and to wait was taken
        timed_out, // waited for its turn as long as it may
        pool,      // had its turn, but no connection came in time
        draining,  // the server is about to stop
    };

    overloaded(enum why why, const std::string& what,
               std::chrono::seconds retry_after = std::chrono::seconds(1))
        : error(heddle::kind::overloaded, what), why_(why), retry_after_(retry_after)
    {
    }

    enum why why() const noexcept { return why_; }
    std::chrono::seconds retry_after() const noexcept { return retry_after_; }

private:
    enum why why_;
    std::chrono::seconds retry_after_;
};

// The scope's deadline passed.
class deadline_exceeded : public error
{
public:
    explicit deadline_exceeded(const std::string& what = "the deadline has passed")
        : error(heddle::kind::deadline, what)
    {
    }
};

// The scope was cancelled: its client has gone, a sibling failed, or the process stops.
class cancelled : public error
{
public:
    explicit cancelled(const std::string& what = "cancelled") : error(heddle::kind::cancelled, what) {}
};

// A part was built from options that cannot work. Thrown before anything is served; names every wrong field.
class config_error : public error
{
public:
    explicit config_error(const std::string& what) : error(heddle::kind::internal, what) {}
};

} // namespace heddle
