// Transactions that share one COMMIT: each has done its work in a savepoint of one outer transaction, has
// passed the turn to write on, and waits until that transaction is down.
#pragma once

#include <heddle/db/error.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/fiber/clock.hpp>

#include "fiber/spin.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <set>
#include <string>

namespace heddle::fiber {
struct record;
}

namespace heddle::db::lite {

// Everything here is for who has the turn to write, but member::wait() and statistics().
class group
{
    // Why they were not committed. Each member throws an exception of its own: its lane may attach to it.
    struct failure
    {
        bool unknown = false; // perhaps they were
        heddle::kind kind = kind::unavailable;
        std::string what;
        std::string code;
    };

public:
    // One transaction that has finished; lies on the stack of its fiber.
    class member
    {
    public:
        // Parks: until the group has ended, whatever becomes of the scope: this transaction can be undone no
        // more without undoing its neighbours.
        // Throws: error, commit_unknown.
        void wait();

    private:
        friend class group;

        member* next_ = nullptr;
        fiber::spin lock_; // guards what follows
        bool ended_ = false;
        fiber::record* waiting_ = nullptr;
        std::shared_ptr<const failure> failure_;
    };

    explicit group(const sqlite_options& options);
    group(const group&) = delete;
    group& operator=(const group&) = delete;

    bool is_empty() const noexcept { return size_ == 0; }

    // `one` must stay where it is until its wait() has returned.
    void add(member& one) noexcept;
    // One that has written nothing, and waits for the others.
    void add_reader(member& one) noexcept;

    // Whether the next body must not begin before the COMMIT.
    bool is_due(fiber::time_point now) const noexcept;

    // Whether more may be about to come, going by the group before; now and then also without a reason.
    bool expects_company() const noexcept;

    // These tell all members what has become of them, and none is left. They never park.
    void committed() noexcept { end(nullptr); }
    // The outer transaction is gone, and not by COMMIT.
    void undone() noexcept { end(undone_); }
    // COMMIT has thrown `failed`.
    void failed(const std::exception_ptr& failed) noexcept;

    // After a body that began at `began` while members waited: counts it if it kept them for longer than they
    // should wait, and names its route in the log, once.
    void note_turn(fiber::time_point began) noexcept;

    group_statistics statistics() const noexcept;

private:
    void end(const std::shared_ptr<const failure>& failure) noexcept;
    std::shared_ptr<const failure> explain(const std::exception_ptr& failed) const noexcept;

    const std::size_t limit_;
    const fiber::duration wait_;
    const std::shared_ptr<failure> undone_;
    const std::shared_ptr<failure> unexplained_; // for want of memory
    member* first_ = nullptr;
    member* last_ = nullptr;
    std::size_t size_ = 0;
    std::size_t readers_ = 0; // of them
    std::size_t size_before_ = 0; // of the group that ended last
    fiber::time_point oldest_;    // when the first of them finished
    std::set<std::string> named_;
    std::atomic<std::uint64_t> groups_ = 0;
    std::atomic<std::uint64_t> members_ = 0;
    std::atomic<std::uint64_t> held_up_ = 0;
};

} // namespace heddle::db::lite
