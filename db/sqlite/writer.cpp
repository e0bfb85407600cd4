// A ticket's transaction is its turn: the lock is taken in the order in which it was asked for, without
// asking SQLite.
#include "sqlite/writer.hpp"

#include <heddle/db/error.hpp>
#include <heddle/fiber/offload.hpp>

#include "failure.hpp"

#include <exception>
#include <utility>

namespace heddle::db::lite {

fiber::semaphore::permit writer::take_turn()
{
    auto turn = try_take_turn_for(options_.lock_budget);
    while (turn && !checkpointer_->has_room()) {
        turn.reset(); // the checkpoint needs it
        checkpointer_->wait_for_room(options_.lock_budget, shared_from_this());
        turn = try_take_turn_for(options_.lock_budget);
    }
    if (!turn)
        throw error(kind::unavailable, "the turn to write did not come in time");
    if (connection_ && connection_->is_broken())
        fiber::offload([this] { connection_.reset(); });
    if (!connection_)
        connection_ =
            fiber::offload([this] { return std::make_unique<lite::connection>(options_, access::write); });
    return *std::move(turn);
}

std::optional<fiber::semaphore::permit> writer::try_take_turn_for(fiber::duration limit)
{
    return turn_.try_acquire_for(limit);
}

void ticket::begin(const begin_options&)
{
    if (turn_)
        return writer_->connection().begin();
    const auto came = fiber::now();
    const auto failure = failure_of([&] { begin_in_turn(); });
    lock_wait_ = fiber::now() - came;
    if (failure)
        std::rethrow_exception(failure);
}

void ticket::begin_in_turn()
{
    auto turn = writer_->take_turn();
    auto& connection = writer_->connection();
    connection.watch().use(&interrupted_);
    connection.begin();
    if (writer_->checkpointer().may_begin_log())
        connection.expect_sync();
    turn_ = std::move(turn);
}

void ticket::commit()
{
    auto& connection = writer_->connection();
    connection.commit();
    if (connection.has_begun())
        return;
    writer_->checkpointer().log_has(connection.log_bytes(), writer_);
    end_turn();
}

void ticket::rollback()
{
    if (!turn_)
        return;
    auto& connection = writer_->connection();
    const auto failure = failure_of([&] { connection.rollback(); });
    if (!connection.has_begun())
        end_turn();
    if (failure)
        std::rethrow_exception(failure);
}

void ticket::end_turn() noexcept
{
    const auto turn = std::move(turn_);
    writer_->connection().watch().use(nullptr);
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
