// A ticket's transaction is its turn, and then the wait for the COMMIT that it shares.
#include "sqlite/ticket.hpp"

#include "failure.hpp"

#include <exception>
#include <utility>

namespace heddle::db::lite {

void ticket::begin(const begin_options& options)
{
    if (turn_)
        return writer_->connection().begin();
    const auto came = fiber::now();
    alone_ = !options.group;
    const auto failure = failure_of([&] { begin_in_turn(); });
    began_ = fiber::now();
    lock_wait_ = began_ - came;
    if (failure)
        std::rethrow_exception(failure);
}

void ticket::begin_in_turn()
{
    auto turn = writer_->take_turn(alone_);
    auto& connection = writer_->connection();
    connection.watch().use(&interrupted_);
    connection.watch().spare_neighbours(!writer_->group().is_empty());
    const auto failure = failure_of([&] { connection.begin(); });
    if (failure) {
        connection.watch().use(nullptr);
        writer_->leave(std::move(turn));
        std::rethrow_exception(failure);
    }
    if (writer_->group().is_empty() && writer_->checkpointer().may_begin_log())
        connection.expect_sync();
    turn_ = std::move(turn);
}

void ticket::commit()
{
    auto& connection = writer_->connection();
    connection.finish();
    if (!connection.has_begun())
        writer_->finish(end_turn(), alone_);
}

void ticket::rollback()
{
    if (!turn_)
        return;
    auto& connection = writer_->connection();
    const auto failure = failure_of([&] { connection.rollback(); });
    if (failure) {
        if (!connection.has_begun())
            writer_->leave(end_turn());
        std::rethrow_exception(failure);
    }
    if (!connection.has_begun())
        writer_->leave_when_down(end_turn());
}

writer::turn ticket::end_turn() noexcept
{
    writer_->connection().watch().use(nullptr);
    writer_->group().note_turn(began_);
    return std::exchange(turn_, {});
}

open_cursor ticket::execute(std::string_view sql, std::span<const value> parameters)
{
    return writer_->connection().execute(sql, parameters);
}

void ticket::script(std::string_view sql)
{
    writer_->connection().script(sql);
}

} // namespace heddle::db::lite
