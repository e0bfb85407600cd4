// Reads a statement's rows as they come, and repairs a statement that the server no longer knows.
#include "postgres/rows.hpp"

#include <heddle/db/error.hpp>

#include "postgres/connection.hpp"
#include "postgres/errors.hpp"

#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

namespace heddle::db::pg {

namespace {

// "INSERT 0 3": 3. What a SELECT has found is not changed.
std::int64_t changed_by(const PGresult* last) noexcept
{
    const std::string_view tag = PQcmdStatus(const_cast<PGresult*>(last));
    if (!tag.starts_with("INSERT") && !tag.starts_with("UPDATE") && !tag.starts_with("DELETE") &&
        !tag.starts_with("MERGE"))
        return 0;
    const std::string_view count = PQcmdTuples(const_cast<PGresult*>(last));
    std::int64_t n = 0;
    std::from_chars(count.data(), count.data() + count.size(), n);
    return n;
}

} // namespace

void rows::start(prepared& statement, bool was_kept, std::span<const value> values)
{
    parameters_.bind(values, statement.parameters(), statement.text());
    open(statement, was_kept, values);
    opening_ = 0;
    alone_ = true;
    try {
        send();
    } catch (...) {
        close();
        throw;
    }
}

void rows::take(const ahead_statement& sent, int opening, bool more)
{
    open(*sent.how, sent.was_kept, sent.call.parameters);
    opening_ = opening;
    alone_ = !more;
}

void rows::open(prepared& statement, bool was_kept, std::span<const value> values)
{
    values_ = values;
    changed_ = 0;
    ended_ = false;
    may_renew_ = was_kept;
    // Now: in the middle of a row it would move what earlier values look at.
    if (scratches_.size() < statement.columns().size())
        scratches_.resize(statement.columns().size());
    statement_ = &statement;
    statement_->set_open(true);
}

int rows::queue()
{
    return PQsendQueryPrepared(owner_.channel().raw(), statement_->name().c_str(), parameters_.count(),
                               parameters_.values(), parameters_.lengths(), parameters_.formats(),
                               statement_->is_binary());
}

void rows::send()
{
    if (owner_.is_opening())
        return send_with_opening();
    auto* const c = owner_.channel().raw();
    const int sent = queue();
    if (sent)
        PQsetSingleRowMode(c);
    owner_.channel().send(sent);
}

// BEGIN and the first statement are one round trip. They are not one batch for the server: it is the same
// transaction as if each had been answered before the next was sent.
void rows::send_with_opening()
{
    auto* const c = owner_.channel().raw();
    int sent = PQenterPipelineMode(c);
    opening_ = sent ? owner_.send_opening(c) : 0;
    sent = opening_ > 0 && queue() && PQpipelineSync(c);
    owner_.channel().send(sent);
}

void rows::read_opening()
{
    while (opening_ > 0) {
        row_ = owner_.channel().next();
        if (PQresultStatus(row_.get()) != PGRES_COMMAND_OK)
            fail(std::move(row_));
        --opening_;
    }
    owner_.channel().begin_rows();
}

bool rows::next()
{
    if (opening_ > 0)
        read_opening();
    for (;;) {
        if (ended_)
            return ++at_ < PQntuples(row_.get());
        row_ = owner_.channel().next();
        switch (PQresultStatus(row_.get())) {
        case PGRES_SINGLE_TUPLE:
            may_renew_ = false;
            at_ = 0;
            return true;
        case PGRES_TUPLES_OK:
        case PGRES_COMMAND_OK:
            end(row_.get());
            at_ = -1; // before the first
            break;
        case PGRES_EMPTY_QUERY:
            end(row_.get());
            throw error(kind::internal, "there is no statement in: " + std::string(statement_->text()));
        case PGRES_FATAL_ERROR:
            if (!renew())
                fail(std::move(row_));
            break;
        default:
            owner_.channel().give_up(); // COPY would have to be carried on with
            throw error(kind::internal, "COPY is not for a lane, in: " + std::string(statement_->text()));
        }
    }
}

// The server may have lost the statement, or the tables may have changed since it was prepared. Nothing has
// been done then: outside an explicit transaction it is prepared anew, once. Inside, the transaction has
// failed with it.
bool rows::renew()
{
    if (!row_ || !std::exchange(may_renew_, false) || !is_stale_statement(row_.get()))
        return false;
    const auto failure = std::move(row_);
    owner_.forget_ahead(); // of what was sent with it nothing was done either, or is answered for already
    while (owner_.channel().next()) {
    }
    const std::string text(statement_->text());
    statement_ = nullptr;
    owner_.preparer().forget_all();
    if (owner_.has_begun())
        pg::fail(kind::conflict, failure.get(), text);
    owner_.preparer().tell_server();
    auto& anew = owner_.preparer().find(text);
    start(anew, false, values_);
    return true;
}

void rows::end(const PGresult* last)
{
    changed_ = changed_by(last);
    ended_ = true;
    if (!alone_)
        return;
    while (owner_.channel().next()) {
    }
    owner_.check_transaction(statement_->text());
}

void rows::fail(result failure)
{
    ended_ = true;
    owner_.forget_ahead();
    if (!failure) { // without a result there was no connection
        owner_.channel().mark_broken();
        throw error(kind::unavailable, reason_of(owner_.channel().raw()));
    }
    owner_.channel().abandon();
    owner_.refuse(failure.get(), statement_->text());
}

value rows::at(std::size_t column) const
{
    const int i = static_cast<int>(column);
    if (PQgetisnull(row_.get(), at_, i))
        return value::null();
    const std::string_view bytes(PQgetvalue(row_.get(), at_, i),
                                 static_cast<std::size_t>(PQgetlength(row_.get(), at_, i)));
    const auto type = statement_->columns()[column];
    return statement_->is_binary() ? decode_binary(type, bytes, scratches_[column])
                                   : decode_text(type, bytes, scratches_[column]);
}

// The rest of the rows, if there is one, is for whoever uses the connection next: this must not park.
void rows::close() noexcept
{
    if (statement_)
        statement_->set_open(false);
    if (!ended_)
        owner_.forget_ahead(); // what stopped this one has stopped those behind it
    statement_ = nullptr;
    row_.reset();
}

} // namespace heddle::db::pg
