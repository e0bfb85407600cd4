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

// The request's end is noticed on this side first, which costs least; the server's limit is for when we
// cannot.
constexpr auto head_start = std::chrono::milliseconds(100);

// A deadline that is further away needs no limit at the server.
constexpr auto far_away = std::chrono::hours(24);

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
    open_now();
    run("SAVEPOINT " + savepoint(depth_));
    ++depth_;
}

void connection::begin_outermost(const begin_options& options)
{
    access_ = options.access;
    first_failure_.clear();
    stand_alone_ = options.stand_alone && access_ == access::read && !options_.transaction_pooling;
    if (stand_alone_)
        return;
    opening_ = options;
    const auto* const scope = fiber::scope::current();
    deadline_ = scope ? scope->deadline() : fiber::never;
    depth_ = 1;
}

// A limit of the server's is for this transaction only, and is gone with it: for all of it, however little
// time its first statement is given. Behind a pooler, so is what else a session is told once.
std::vector<std::string> connection::opening_commands() const
{
    auto begin = "BEGIN" + isolation_clause(*opening_);
    begin += opening_->access == access::read ? " READ ONLY" : " READ WRITE";
    if (opening_->deferrable)
        begin += " DEFERRABLE";
    std::vector<std::string> commands{std::move(begin)};
    const auto left = deadline_ == fiber::never ? fiber::duration::max()
                                                : std::max(fiber::duration::zero(), deadline_ - fiber::now());
    const auto ceiling = options_.statement_ceiling;
    const bool has_ceiling = ceiling > fiber::duration::zero();
    if (options_.transaction_pooling)
        for (auto& form : forms_of_text("SET LOCAL"))
            commands.push_back(std::move(form));
    if (left < (has_ceiling ? ceiling : far_away))
        commands.push_back("SET LOCAL statement_timeout = " + milliseconds(left + head_start));
    else if (options_.transaction_pooling && has_ceiling)
        commands.push_back("SET LOCAL statement_timeout = " + milliseconds(ceiling));
    if (left < options_.lock_budget || options_.transaction_pooling)
        commands.push_back("SET LOCAL lock_timeout = " + milliseconds(std::min(left, options_.lock_budget)));
    return commands;
}

// In a round trip of its own: for what cannot go with it.
void connection::open_now()
{
    if (!opening_)
        return;
    std::string sql;
    for (const auto& command : opening_commands())
        sql += command + ";";
    opening_.reset();
    run(sql);
}

int connection::send_opening(PGconn* c)
{
    int count = 0;
    for (const auto& command : opening_commands()) {
        if (!PQsendQueryParams(c, command.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0))
            return 0;
        ++count;
    }
    opening_.reset();
    return count;
}

void connection::commit()
{
    finish_rows();
    if (std::exchange(stand_alone_, false))
        return;
    require_alive();
    if (opening_) { // nothing was done, so there is nothing to commit
        opening_.reset();
        depth_ = 0;
        return;
    }
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
    // Nothing that was written hangs on these, so that they end with the request. (A transaction that began
    // as a read may have made itself another one.)
    const bool is_read = access_ == access::read && !dirty_;
    if (depth_ == 1 && !is_read)
        return commit_outermost();
    run(depth_ > 1 ? "RELEASE SAVEPOINT " + savepoint(depth_ - 1) : "COMMIT");
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
    if (!await_answer(accepted, answer)) {
        channel_.lose();
        throw commit_unknown("COMMIT was sent, and not answered in time");
    }
    judge_commit(answer.get());
}

// Of one statement, which nothing stops. False: it did not come while the scope lasts.
bool connection::await_answer(int accepted, result& answer)
{
    bool answered = !failure_of([&] { channel_.send(accepted); });
    while (answered && channel_.is_busy()) {
        auto r = channel_.next_to_the_end();
        answered = r.has_value();
        if (answered && *r && !answer)
            answer = std::move(*r);
    }
    return answered;
}

void connection::judge_commit(const PGresult* answer)
{
    const auto status = PQresultStatus(answer);
    if (answer && status == PGRES_COMMAND_OK &&
        std::string_view(PQcmdStatus(const_cast<PGresult*>(answer))) == "COMMIT") {
        depth_ = 0;
        return;
    }
    if (status == PGRES_COMMAND_OK) { // "ROLLBACK": it had failed
        depth_ = 0;
        throw error(kind::internal, "the transaction had failed, and was rolled back");
    }
    if (channel_.is_broken() || !proves_rollback(answer)) {
        channel_.give_up();
        throw commit_unknown("COMMIT was sent, and its answer lost: " + reason_of(channel_.raw()),
                             std::string(sqlstate_of(answer)));
    }
    fail(answer, {});
}

void connection::rollback()
{
    stand_alone_ = false;
    opening_.reset(); // then the server is not in a transaction
    ahead_.clear();
    channel_.abandon();
    if (depth_ == 0)
        return;
    const auto inner = --depth_;
    if (channel_.is_broken() || channel_.transaction_status() == PQTRANS_IDLE) {
        depth_ = 0; // all of it is gone already
        return;
    }
    if (inner == 0)
        return roll_back_outermost();
    const auto failure = failure_of([&] {
        run("ROLLBACK TO SAVEPOINT " + savepoint(inner) + "; RELEASE SAVEPOINT " + savepoint(inner));
    });
    first_failure_.clear(); // it is undone
    if (!failure)
        return;
    channel_.mark_broken();
    std::rethrow_exception(failure);
}

// Without an answer the connection is closed, and that is a rollback, too: nobody waits for longer.
void connection::roll_back_outermost()
{
    result answer;
    if (!await_answer(PQsendQuery(channel_.raw(), "ROLLBACK"), answer))
        return channel_.lose();
    if (channel_.is_broken() || PQresultStatus(answer.get()) == PGRES_COMMAND_OK)
        return;
    channel_.mark_broken();
    fail(answer.get(), "ROLLBACK");
}

} // namespace heddle::db::pg
