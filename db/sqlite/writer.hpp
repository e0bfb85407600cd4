// The one connection that writes, and whose turn it is. Those who queue for the turn share one COMMIT.
#pragma once

#include <heddle/db/sqlite.hpp>
#include <heddle/fiber/semaphore.hpp>

#include "sqlite/checkpointer.hpp"
#include "sqlite/connection.hpp"
#include "sqlite/group.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

namespace heddle::db::lite {

// Who has the turn owes the group its COMMIT. It pays, or passes the debt on together with the turn: to a
// waiter that has been handed it. So wherever a turn ends while the group has members, it ends by leave() or
// finish().
class writer : public std::enable_shared_from_this<writer>
{
public:
    using turn = fiber::semaphore::permit;

    writer(const sqlite_options& options, std::shared_ptr<fiber::semaphore> readers)
        : options_(options),
          group_(options),
          checkpointer_(std::make_shared<lite::checkpointer>(options, std::move(readers)))
    {
    }

    // Parks: until everybody who came before has passed the turn on, and then for room in the log; each for
    // at most `lock_budget`; and for the COMMIT of those who have finished, if they cannot wait for one more,
    // or if it is `alone`. Throws: deadline_exceeded, cancelled; error(unavailable) when that is over, or if
    // the file cannot be opened.
    turn take_turn(bool alone);
    // The turn, with nothing to commit.
    std::optional<turn> try_take_turn_for(fiber::duration limit);

    // Ends a turn whose transaction has finished.
    // Parks: until it has been committed, by this fiber or by one that comes after it.
    // Throws: error (nothing was written), commit_unknown.
    void finish(turn mine, bool alone);
    // Ends a turn of which nothing is left. Parks: it may be this one who has to commit the others.
    void leave(turn mine);
    // The same, where what they have done was seen: until it is committed. Throws: read_undone.
    void leave_when_down(turn mine);

    // Only for who has the turn.
    lite::connection& connection() noexcept { return *connection_; }
    lite::checkpointer& checkpointer() noexcept { return *checkpointer_; }
    lite::group& group() noexcept { return group_; }

    group_statistics statistics() const noexcept { return group_.statistics(); }

private:
    void prepare(bool alone);
    void open();
    bool must_commit() const noexcept;
    bool nobody_is_ready();
    void commit_group();

    const sqlite_options options_;
    fiber::semaphore turn_{1, "the turn to write"};
    lite::group group_;
    std::unique_ptr<lite::connection> connection_; // opened by the first turn, and anew when it has broken
    const std::shared_ptr<lite::checkpointer> checkpointer_;
};

} // namespace heddle::db::lite
