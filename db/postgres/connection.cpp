// A session's set-up, its statements and scripts, and what is taken back after each borrower.
#include "postgres/connection.hpp"

#include <heddle/base/log.hpp>
#include <heddle/db/error.hpp>
#include <heddle/fiber/scope.hpp>

#include "failure.hpp"
#include "postgres/errors.hpp"
#include "postgres/milliseconds.hpp"

#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace heddle::db::pg {

namespace {

// For statements of our own that no request waits for.
constexpr auto own_budget = std::chrono::seconds(2);

} // namespace

connection::connection(connection_handle connected, helpers& cancels, const postgres_options& options)
    : options_(options),
      channel_(std::move(connected), cancels,
               {.stop_budget = options.stop_budget, .lost_after = options.lost_after}),
      preparer_(channel_, options.transaction_pooling ? 0 : options.statements)
{
    if (!options_.transaction_pooling)
        set_up();
}

// Those that are read here, wherever the server's defaults are others. `set`: SET or SET LOCAL.
std::vector<std::string> connection::forms_of_text(const std::string& set)
{
    return {set + " datestyle = ISO", set + " bytea_output = hex", set + " extra_float_digits = 1"};
}

// After what the user wants: what reads are not told each time, that they must not write and how long they
// may take; and the forms of text that are read here.
std::string connection::setup_text() const
{
    std::string sql =
        options_.init_sql + // which may end in a semicolon, or in a comment
        "\n;SET default_transaction_read_only = on; SET lock_timeout = " + milliseconds(options_.lock_budget);
    for (const auto& form : forms_of_text("SET"))
        sql += "; " + form;
    if (options_.statement_ceiling > fiber::duration::zero())
        sql += "; SET statement_timeout = " + milliseconds(options_.statement_ceiling);
    return sql;
}

void connection::set_up()
{
    run(setup_text());
}

bool connection::in_transaction() const noexcept
{
    if (channel_.is_broken())
        return false;
    return stand_alone_ || opening_ || (depth_ > 0 && channel_.transaction_status() != PQTRANS_IDLE);
}

open_cursor connection::execute(std::string_view sql, std::span<const value> parameters)
{
    if (rows_.is_open())
        throw error(kind::internal,
                    "the rows of another statement are still being read, and PostgreSQL sends one "
                    "result at a time: read them with query() first; in: " +
                        std::string(sql.substr(0, 200)));
    if (parameters.size() > most_parameters)
        throw error(kind::value, std::to_string(parameters.size()) + " parameters; PostgreSQL takes " +
                                     std::to_string(most_parameters) + " for one statement");
    if (ahead_.comes_next(sql, parameters))
        return next_ahead();
    finish_rows();
    require_alive();
    if (!preparer_.knows(sql))
        open_now(); // a pooler may lend another connection outside a transaction
    auto& statement = prepare(sql);
    dirty_ = dirty_ || statement.is_dirtying();
    rows_.start(statement, preparer_.was_kept(), parameters);
    return open_cursor{&rows_};
}

prepared& connection::prepare(std::string_view sql)
{
    try {
        return preparer_.find(sql);
    } catch (const error& e) {
        if (channel_.transaction_status() == PQTRANS_INERROR)
            note_failure(e.what());
        throw;
    }
}

// Its COMMIT, if there is one, comes before everything else that has become of it.
void connection::script(std::string_view sql)
{
    if (sql.find('\0') != std::string_view::npos)
        throw error(kind::internal, "a script has a NUL in it");
    finish_rows();
    require_alive();
    open_now();
    dirty_ = true;
    answered script;
    const auto stopped = failure_of([&] { script = read_all(std::string(sql)); });
    if (may_have_committed(sql, stopped || script.failure)) {
        channel_.give_up(); // what was committed, and what was not, is the script's secret
        throw commit_unknown(
            "a script has ended its transaction, which is the lane's business, or may have: " +
            std::string(sql.substr(0, 200)));
    }
    if (stopped)
        std::rethrow_exception(stopped);
    if (script.failure)
        refuse(script.failure.get(), sql);
    if (script.controls) {
        channel_.give_up(); // nor is it known what a savepoint hides
        throw error(kind::internal,
                    "a script has begun or ended a transaction, which is the lane's business");
    }
    check_transaction(sql);
}

// The statements behind a script's ROLLBACK are a transaction, too, which is committed at the script's end.
bool connection::may_have_committed(std::string_view script, bool has_failed) const noexcept
{
    if (channel_.has_seen_commit())
        return true;
    if (channel_.is_broken()) // its end was not seen
        return may_end_transaction(script);
    return !has_failed && channel_.transaction_status() == PQTRANS_IDLE;
}

void connection::ping()
{
    channel_.send(PQsendQuery(channel_.raw(), ""));
    while (channel_.is_busy()) {
        const auto r = channel_.next_to_the_end();
        if (!r) // nothing runs there that would have to be stopped
            channel_.give_up();
        if (channel_.is_broken())
            throw error(kind::unavailable, "no answer to a question: " + reason_of(channel_.raw()));
    }
}

bool connection::healthy() const noexcept
{
    return !channel_.is_broken() && PQstatus(channel_.raw()) == CONNECTION_OK &&
           channel_.transaction_status() == PQTRANS_IDLE;
}

void connection::reset()
{
    stand_alone_ = false;
    opening_.reset();
    ahead_.clear();
    depth_ = 0;
    const fiber::shielded_scope own_time{own_budget};
    channel_.abandon();
    if (channel_.is_broken())
        return;
    if (channel_.transaction_status() != PQTRANS_IDLE) {
        log::warn("a transaction was left open and is rolled back", {{"database", "postgres"}});
        run("ROLLBACK");
    }
    if (needs_reset())
        // DISCARD ALL in parts: without the prepared statements, which are the connection's own.
        run("CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; "
            "SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES; " +
            setup_text());
    dirty_ = false;
    preparer_.tell_server();
}

bool connection::needs_reset() const noexcept
{
    if (options_.transaction_pooling || options_.reset == reset_policy::never)
        return false;
    return dirty_ || options_.reset == reset_policy::always;
}

void connection::require_alive() const
{
    if (channel_.is_broken())
        throw error(kind::unavailable, "the connection to PostgreSQL was lost");
}

// What is left of a result that was closed early. It may be an error, which then is the transaction's.
void connection::finish_rows()
{
    ahead_.clear();
    while (channel_.is_busy())
        if (const auto r = channel_.next(); PQresultStatus(r.get()) == PGRES_FATAL_ERROR && r)
            note_failure(PQresultErrorMessage(r.get()));
}

void connection::note_failure(const char* message)
{
    if (first_failure_.empty())
        first_failure_ = message;
}

// Statements of our own.
void connection::run(const std::string& sql)
{
    if (const auto failure = read_all(sql).failure)
        refuse(failure.get(), sql);
}

// What became of some statements: of all of them, or of those up to the first that fails.
connection::answered connection::read_all(const std::string& sql)
{
    channel_.send(PQsendQuery(channel_.raw(), sql.c_str()));
    answered all;
    while (auto r = channel_.next()) {
        const auto status = PQresultStatus(r.get());
        if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH) {
            channel_.give_up(); // it would have to be carried on with
            throw error(kind::internal, "COPY is not for a lane");
        }
        if (status == PGRES_FATAL_ERROR && !all.failure)
            all.failure = std::move(r);
        else
            all.controls = all.controls || is_transaction_control(PQcmdStatus(r.get()));
    }
    return all;
}

void connection::check_transaction(std::string_view sql)
{
    const auto status = channel_.transaction_status();
    if (depth_ > 0 ? status == PQTRANS_INTRANS : status == PQTRANS_IDLE)
        return;
    if (depth_ > 0 && status == PQTRANS_INERROR)
        return;
    depth_ = 0;
    dirty_ = true;
    throw error(kind::internal,
                "a statement has begun or ended a transaction, which is the lane's business, in: " +
                    std::string(sql.substr(0, 200)));
}

void connection::refuse(const PGresult* failure, std::string_view sql)
{
    const auto code = sqlstate_of(failure);
    note_failure(PQresultErrorMessage(failure));
    if (channel_.transaction_status() == PQTRANS_IDLE)
        depth_ = 0; // it is BEGIN that was refused
    // A standby now: it takes no write, nor (0A000) a transaction that might.
    const bool is_standby = access_ == access::write && (code == "25006" || (depth_ == 0 && code == "0A000"));
    const auto refusal = error_of(is_standby ? kind::unavailable : kind_of(code), failure, sql);
    if (options_.evict ? options_.evict(refusal) : is_standby || is_fatal(code))
        channel_.mark_broken();
    throw refusal;
}

} // namespace heddle::db::pg
