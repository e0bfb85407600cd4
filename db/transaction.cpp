// Ends a transaction exactly once, by commit or by rollback, and never cleans up inside of a catch block.
#include <heddle/db/transaction.hpp>

#include <heddle/base/log.hpp>
#include <heddle/db/error.hpp>
#include <heddle/fiber/scope.hpp>

#include "failure.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>

namespace heddle::db {

namespace {

// A rollback is given what is left of the request's time, within these: nobody waits long behind its end.
constexpr auto least_rollback_budget = std::chrono::milliseconds(150);
constexpr auto most_rollback_budget = std::chrono::seconds(2);

fiber::duration rollback_budget() noexcept
{
    return std::clamp<fiber::duration>(fiber::scope::remaining(), least_rollback_budget,
                                       most_rollback_budget);
}

std::string text_of(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "an exception that is no std::exception";
    }
}

bool is_read_undone(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const read_undone&) {
        return true;
    } catch (...) {
        return false;
    }
}

// The body's error is the one that goes on; it takes the rollback's with it, or the log does.
void attach(const std::exception_ptr& failure, const std::exception_ptr& rollback_failure)
{
    const auto what = text_of(rollback_failure);
    try {
        std::rethrow_exception(failure);
    } catch (heddle::error& e) {
        e.attach_failed_undo("rollback: " + what);
    } catch (...) {
        log::warn("a rollback failed", {{"cause", what}, {"after", text_of(failure)}});
    }
}

} // namespace

open_cursor transaction::execute(const statement_text& text, std::span<const value> parameters)
{
    require_open();
    fiber::scope::check_current(); // an ended request starts no statement
    const auto sql = text.in(session_.dialect());
    if (lease_)
        lease_->note_work(sql);
    return session_.execute(sql, parameters);
}

void transaction::send_ahead(std::span<const statement_call> calls)
{
    require_open();
    fiber::scope::check_current();
    session_.send_ahead(calls);
}

std::int64_t transaction::run_values(const statement_text& text, std::span<const value> parameters)
{
    const statement_timer timer{statement_time_};
    const open_cursor rows = execute(text, parameters);
    while (rows->next()) {
    }
    return rows->changed();
}

void transaction::script(const statement_text& text)
{
    require_open();
    fiber::scope::check_current();
    const statement_timer timer{statement_time_};
    const auto sql = text.in(session_.dialect());
    if (lease_)
        lease_->note_work(sql);
    end_by([&] { session_.script(sql); }); // there may be a COMMIT in it
}

void transaction::require_open() const
{
    if (state_ == state::committed)
        throw transaction_done("the transaction has been committed");
    if (state_ == state::unknown)
        throw transaction_done("whether the transaction has been committed is not known");
    if (state_ == state::rolled_back)
        throw transaction_done("the transaction has been rolled back");
    if (inner_open_)
        throw transaction_done("a nested transaction is open: this one waits for its end");
    if (!session_.in_transaction())
        throw transaction_done("the database has ended the transaction after an error");
}

void transaction::commit()
{
    require_open();
    fiber::scope::check_current(); // the last moment at which the request's end still undoes everything
    close_rows();
    end_by([&] { session_.commit(); });
    state_ = state::committed;
    if (nested_ || options_.access != access::write)
        return;
    if (auto* scope = fiber::scope::current())
        scope->note_commit();
}

// An outcome that cannot be known is remembered here and by the request, whatever the body makes of the
// error.
template <class F>
void transaction::end_by(F&& f)
{
    try {
        f();
    } catch (const commit_unknown&) {
        state_ = state::unknown;
        if (auto* scope = fiber::scope::current())
            scope->note_unknown_commit();
        throw;
    }
}

void transaction::rollback()
{
    require_open();
    close_rows();
    state_ = state::rolled_back;
    fiber::shield(rollback_budget(), [&] { session_.rollback(); });
}

void transaction::close_rows() noexcept
{
    for (auto* one = rows_; one; one = one->outer_)
        one->rows_.reset();
}

std::exception_ptr transaction::conduct(const body_ref& body)
{
    auto failure = failure_of([&] {
        body(*this);
        finish();
    });
    if (failure)
        failure = undo(failure); // out here, because a rollback parks and a catch block must not
    return failure;
}

void transaction::finish()
{
    if (state_ == state::unknown)
        throw commit_unknown("the body has returned, and the outcome of its COMMIT is not known");
    if (state_ == state::open)
        commit();
}

// Returns what goes on: the failure, unless it may come of what others never committed.
std::exception_ptr transaction::undo(const std::exception_ptr& failure)
{
    if (state_ == state::committed || state_ == state::rolled_back)
        return failure;
    if (state_ == state::open)
        state_ = state::rolled_back;
    const auto rollback_failure =
        failure_of([&] { fiber::shield(rollback_budget(), [&] { session_.rollback(); }); });
    if (!rollback_failure)
        return failure;
    if (is_read_undone(rollback_failure))
        return rollback_failure;
    attach(failure, rollback_failure);
    return failure;
}

void transaction::conduct_nested(const body_ref& body)
{
    require_open();
    fiber::scope::check_current();
    session_.begin({.access = options_.access});
    transaction inner{session_, options_, statement_time_, lease_};
    inner.nested_ = true;
    inner_open_ = true;
    const auto failure = inner.conduct(body);
    inner_open_ = false;
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace heddle::db
