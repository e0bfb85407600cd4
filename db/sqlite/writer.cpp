// Turns come in the order in which they were asked for, without asking SQLite; and the one that ends with
// nobody behind it commits.
#include "sqlite/writer.hpp"

#include <heddle/db/error.hpp>
#include <heddle/fiber/offload.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>

#include "failure.hpp"

#include <exception>

namespace heddle::db::lite {

writer::turn writer::take_turn(bool alone)
{
    auto mine = turn_.try_acquire_for(options_.lock_budget);
    while (mine && !checkpointer_->has_room()) {
        leave(*std::exchange(mine, std::nullopt)); // the checkpoint needs it
        checkpointer_->wait_for_room(options_.lock_budget, shared_from_this());
        mine = turn_.try_acquire_for(options_.lock_budget);
    }
    if (!mine)
        throw error(kind::unavailable, "the turn to write did not come in time");
    if (const auto failure = failure_of([&] { prepare(alone); })) {
        leave(*std::move(mine));
        std::rethrow_exception(failure);
    }
    return *std::move(mine);
}

std::optional<writer::turn> writer::try_take_turn_for(fiber::duration limit)
{
    auto mine = turn_.try_acquire_for(limit);
    if (mine)
        commit_group();
    return mine;
}

void writer::prepare(bool alone)
{
    if (!group_.is_empty() && (alone || must_commit()))
        commit_group();
    fiber::scope::check_current(); // that, and the turn, may have taken all its time
    if (connection_ && connection_->is_broken())
        fiber::offload([this] { connection_.reset(); });
    if (!connection_)
        open();
}

void writer::open()
{
    connection_ =
        fiber::offload([this] { return std::make_unique<lite::connection>(options_, access::write); });
    connection_->on_loss([this] { group_.undone(); });
}

void writer::finish(turn mine, bool alone)
{
    group::member me;
    group_.add(me); // and nothing throws before wait(), for whoever commits will write to it
    if (alone)
        commit_group();
    leave(std::move(mine));
    me.wait();
}

void writer::leave(turn mine)
{
    while (!group_.is_empty()) {
        if (must_commit() || nobody_is_ready())
            return commit_group();
        mine.release();
        // Whoever waited has the turn now, and sees the members. Only if the last waiter has given up since
        // it was counted nobody has it: then it is free, and it is ours again.
        auto again = turn_.try_acquire();
        if (!again)
            return;
        mine = *std::move(again);
    }
}

// Members that there are at the end of a turn were there at its beginning: nobody joins meanwhile.
void writer::leave_when_down(turn mine)
{
    if (group_.is_empty())
        return leave(std::move(mine));
    group::member me;
    group_.add_reader(me);
    leave(std::move(mine));
    if (failure_of([&] { me.wait(); }))
        throw read_undone();
}

// Of members that there are.
bool writer::must_commit() const noexcept
{
    return group_.is_due(fiber::now()) || connection_->has_setting() || connection_->is_broken() ||
           !connection_->is_open();
}

// Fibers that are ready get as far as the queue first, if it has paid lately: on one worker, writers that
// never park meet nowhere else. A lone writer beside many readers would only wait for a round of theirs.
bool writer::nobody_is_ready()
{
    if (turn_.waiting() == 0 && group_.expects_company())
        fiber::yield();
    return turn_.waiting() == 0;
}

// Whoever runs this has the turn until it is over, so nobody joins meanwhile.
void writer::commit_group()
{
    if (group_.is_empty())
        return;
    if (!connection_->is_open())
        return group_.undone();
    const auto failed = failure_of([&] { connection_->commit_finished(); });
    if (!failed) {
        checkpointer_->log_has(connection_->log_bytes(), shared_from_this());
        return group_.committed();
    }
    // What this throws makes the connection a broken one, and closing that undoes as much.
    static_cast<void>(failure_of([&] { connection_->undo_finished(); }));
    group_.failed(failed);
}

} // namespace heddle::db::lite
