// A scope is what a piece of work may still take: a deadline, a way to be cancelled, and the request it
// belongs to. Scopes nest; an inner one ends no later than the outer one. Every parking call looks at the
// innermost scope.
#pragma once

#include <heddle/fiber/clock.hpp>

#include <atomic>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::fiber {

struct record;

class scope
{
public:
    struct options
    {
        time_point deadline = never;
        std::string_view request_id = {}; // must outlive the scope; empty: the outer scope's
        std::string_view route = {};      // must outlive the scope; empty: the outer scope's
    };

    // Opens a scope on the calling fiber, inside the one it is in now.
    explicit scope(const options& options);

    // Opens the first scope of a child fiber, inside `parent`, which belongs to another fiber and must
    // outlive this.
    scope(scope& parent, const options& options);

    // Closes it. Scopes close in reverse order, on the fiber that opened them.
    ~scope();

    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;

    // Ends this scope and those inside it: whoever parks there throws `cancelled`.
    // Threads: any, as long as the scope is known to be alive.
    void cancel() noexcept;

    bool is_cancelled() const noexcept;
    // Cancelled, or past the deadline.
    bool has_ended() const noexcept;
    // Throws: cancelled, deadline_exceeded.
    void check() const;

    time_point deadline() const noexcept { return deadline_; }
    std::string_view request_id() const noexcept { return request_id_; }
    std::string_view route() const noexcept { return route_; }
    void set_route(std::string_view route) noexcept; // a string that outlives the scope

    // Remembered by this scope and each one outside it, a shield's outside too, for the one answer the
    // request gets.
    void note_commit() noexcept;
    bool has_committed() const noexcept;
    void note_unknown_commit() noexcept; // it may have been
    bool has_unknown_commit() const noexcept;

    // The calling fiber's innermost scope, or nullptr.
    static scope* current() noexcept;
    // What is left of the innermost scope's time; duration::max() without a deadline, never negative.
    static duration remaining() noexcept;
    // Throws if the innermost scope has ended.
    static void check_current();

private:
    friend class shielded_scope;
    struct shielded_tag
    {
    };
    scope(shielded_tag, const options& options);

    void enter(scope* parent) noexcept;
    void cancel_tree() noexcept;
    scope* outside() const noexcept;

    record* owner_;           // the fiber that opened it
    scope* outer_;            // the scope this fiber was in before; restored at the end
    scope* parent_ = nullptr; // where cancellation comes from; nullptr for the outermost and for a shield
    scope* root_;             // guards the tree's links
    scope* first_child_ = nullptr;
    scope* previous_ = nullptr;
    scope* next_ = nullptr;
    time_point deadline_;
    std::string_view request_id_;
    std::string_view route_;
    bool shielded_ = false; // this one, or one outside it, is a shield
    std::atomic<bool> cancelled_ = false;
    std::atomic<bool> committed_ = false;
    std::atomic<bool> unknown_commit_ = false;
    std::atomic<bool> tree_locked_ = false; // the root's is the tree's spin lock
};

// Opens a scope that the outer one's end does not reach: for rollback and close.
class shielded_scope
{
public:
    explicit shielded_scope(duration budget);

private:
    scope scope_;
};

// Runs `f` with at most `d` of what is left.
template <class F>
decltype(auto) within(duration d, F&& f)
{
    scope narrowed{{.deadline = after(d)}};
    return std::forward<F>(f)();
}

// Runs `f` with a small time of its own, whatever has happened to the scope outside.
template <class F>
decltype(auto) shield(duration budget, F&& f)
{
    shielded_scope shielded{budget};
    return std::forward<F>(f)();
}

} // namespace heddle::fiber
