// Transactions and savepoints: how they begin, and that each ends once, with an outcome that is known or said
// to be unknown.
#include "postgres/connection.hpp"

#include <heddle/db/error.hpp>
#include <heddle/fiber/scope.hpp>

#include "failure.hpp"
#include "postgres/errors.hpp"
#include "postgres/milliseconds.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace heddle::db::pg {

namespace {

// What the rollback of a BEGIN that came too late may take.
constexpr auto rollback_budget = std::chrono::seconds(2);

// The request's end is noticed on this side first, which costs least; the server's limit is for when we
// cannot.
constexpr auto head_start = std::chrono::milliseconds(100);

std::string savepoint(std::size_t depth)
{
    return "heddle_" + std::to_string(depth);
}

// A read sees one state of the database unless it is asked to see less.
std::string isolation_clause(const begin_options& options)
{
    switch (options.isolation) {
    case isolation::read_committed:
        return " ISOLATION LEVEL READ COMMITTED";
    case isolation::repeatable_read:
        return " ISOLATION LEVEL REPEATABLE READ";
    case isolation::serializable:
        return " ISOLATION LEVEL SERIALIZABLE";
    default:
        return options.access == access::read ? " ISOLATION LEVEL REPEATABLE READ" : "";
    }
}

} // namespace

void connection::begin(const begin_options& options)
{
    finish_rows();
    require_alive();
    if (depth_ == 0)
        return begin_outermost(options);
    run("SAVEPOINT " + savepoint(depth_));
    ++depth_;
}

void connection::begin_outermost(const begin_options& options)
{
    access_ = options.access;
    first_failure_.clear();
    one_statement_ = options.one_statement && access_ == access::read && !options_.transaction_pooling;
    if (one_statement_)
        return;
    const auto failure = failure_of([&] { run(begin_text(options)); });
    if (!failure) {
        depth_ = 1;
        return;
    }
    // The lane rolls back only what has begun; this may have, just before it was stopped.
    if (!channel_.is_broken() && channel_.transaction_status() != PQTRANS_IDLE)
        fiber::shield(rollback_budget, [&] {
            if (failure_of([&] { run("ROLLBACK"); }))
                channel_.mark_broken();
        });
    std::rethrow_exception(failure);
}

// All in one round trip. A limit of the server's is for this transaction only, and is gone with it.
std::string connection::begin_text(const begin_options& options) const
{
    std::string sql = "BEGIN" + isolation_clause(options);
    sql += options.access == access::read ? " READ ONLY" : " READ WRITE";
    if (options.deferrable)
        sql += " DEFERRABLE";
    const auto left = fiber::scope::remaining();
    const bool has_deadline = left != fiber::duration::max();
    if (has_deadline)
        sql += "; SET LOCAL statement_timeout = " + milliseconds(left + head_start);
    if ((has_deadline && left < options_.lock_budget) || options_.transaction_pooling)
        sql += "; SET LOCAL lock_timeout = " + milliseconds(std::min(left, options_.lock_budget));
    return sql;
}

void connection::commit()
{
    finish_rows();
    if (std::exchange(one_statement_, false))
        return;
    require_alive();
    switch (channel_.transaction_status()) {
    case PQTRANS_INTRANS:
        break;
    case PQTRANS_INERROR:
        throw error(kind::internal,
                    "the transaction has failed and cannot be committed; its first error was: " +
                        first_failure_);
    default:
        depth_ = 0;
        throw error(kind::internal,
                    "the transaction was ended by a statement in it; there is nothing to commit");
    }
    if (depth_ == 1)
        return commit_outermost();
    fiber::shield(options_.commit_budget, [&] { run("RELEASE SAVEPOINT " + savepoint(depth_ - 1)); });
    --depth_;
}

// From the moment it is sent nothing ends it but its answer, or its own budget.
void connection::commit_outermost()
{
    const fiber::shielded_scope own_time{options_.commit_budget};
    const int accepted = PQsendQuery(channel_.raw(), "COMMIT");
    if (accepted == 0) {
        channel_.mark_broken();
        throw error(kind::unavailable, "COMMIT could not be sent: " + reason_of(channel_.raw()));
    }
    result answer;
    bool answered = !failure_of([&] { channel_.send(accepted); });
    while (answered && channel_.is_busy()) {
        auto r = channel_.next_to_the_end();
        answered = r.has_value();
        if (answered && *r && !answer)
            answer = std::move(*r);
    }
    if (!answered) {
        channel_.give_up();
        throw commit_unknown("COMMIT was sent, and not answered in time");
    }
    judge_commit(answer.get());
}

void connection::judge_commit(const PGresult* answer)
{
    const auto status = PQresultStatus(answer);
    const auto code = sqlstate_of(answer);
    if (answer && status == PGRES_COMMAND_OK &&
        std::string_view(PQcmdStatus(const_cast<PGresult*>(answer))) == "COMMIT") {
        depth_ = 0;
        return;
    }
    // The server goes away, or its disk does, perhaps after the commit was written down.
    if (!answer || is_fatal(code) || code.starts_with("58") || code.starts_with("XX")) {
        channel_.give_up();
        throw commit_unknown("COMMIT was sent, and its answer lost: " + reason_of(channel_.raw()),
                             std::string(code));
    }
    if (status == PGRES_COMMAND_OK) { // "ROLLBACK": it had failed
        depth_ = 0;
        throw error(kind::internal, "the transaction had failed, and was rolled back");
    }
    fail(answer, {});
}

void connection::rollback()
{
    one_statement_ = false;
    channel_.abandon();
    if (depth_ == 0)
        return;
    const auto inner = --depth_;
    if (channel_.is_broken() || channel_.transaction_status() == PQTRANS_IDLE) {
        depth_ = 0; // all of it is gone already
        return;
    }
    const auto failure = failure_of([&] {
        run(inner > 0
                ? "ROLLBACK TO SAVEPOINT " + savepoint(inner) + "; RELEASE SAVEPOINT " + savepoint(inner)
                : std::string("ROLLBACK"));
    });
    if (!failure)
        return;
    channel_.mark_broken();
    std::rethrow_exception(failure);
}

} // namespace heddle::db::pg
