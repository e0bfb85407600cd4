#include <heddle/fiber/scope.hpp>

#include <heddle/base/error.hpp>

#include "fiber/record.hpp"
#include "fiber/runtime_state.hpp"
#include "fiber/settle.hpp"

#include <algorithm>
#include <mutex>
#include <thread>

namespace heddle::fiber {

namespace {

// The lock of a scope's tree: its links, and the walk of cancel(). Taken before W, after a descriptor's lock.
class tree_lock
{
public:
    explicit tree_lock(std::atomic<bool>& locked) noexcept : locked_(locked)
    {
        for (int tries = 0; locked_.exchange(true, std::memory_order_acquire); ++tries)
            if (tries > 100)
                std::this_thread::yield();
    }
    ~tree_lock() { locked_.store(false, std::memory_order_release); }
    tree_lock(const tree_lock&) = delete;
    tree_lock& operator=(const tree_lock&) = delete;

private:
    std::atomic<bool>& locked_;
};

} // namespace

scope::scope(const options& options) : owner_(self()), outer_(owner_->innermost), deadline_(options.deadline)
{
    request_id_ = options.request_id;
    route_ = options.route;
    enter(outer_);
}

scope::scope(scope& parent, const options& options)
    : owner_(self()), outer_(owner_->innermost), deadline_(options.deadline)
{
    request_id_ = options.request_id;
    route_ = options.route;
    enter(&parent);
}

scope::scope(shielded_tag, const options& options)
    : owner_(self()), outer_(owner_->innermost), deadline_(options.deadline), shielded_(true)
{
    if (outer_) {
        request_id_ = outer_->request_id_;
        route_ = outer_->route_;
    }
    enter(nullptr);
}

// A scope that is opened in a tree that was cancelled already is born cancelled: the flag is read under the
// tree's lock.
void scope::enter(scope* parent) noexcept
{
    parent_ = parent;
    root_ = parent ? parent->root_ : this;
    if (parent) {
        deadline_ = std::min(deadline_, parent->deadline_);
        shielded_ = parent->shielded_;
        if (request_id_.empty())
            request_id_ = parent->request_id_;
        if (route_.empty())
            route_ = parent->route_;
        tree_lock guard(root_->tree_locked_);
        next_ = parent->first_child_;
        if (next_)
            next_->previous_ = this;
        parent->first_child_ = this;
        cancelled_.store(parent->cancelled_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    spin_lock w(owner_->lock);
    owner_->innermost = this;
}

// Under the tree's lock nobody is in the middle of cancelling us; after it nobody finds us.
scope::~scope()
{
    {
        spin_lock w(owner_->lock);
        owner_->innermost = outer_;
    }
    if (!parent_) {
        tree_lock wait_for_a_late_cancel(root_->tree_locked_);
        return;
    }
    tree_lock guard(root_->tree_locked_);
    if (previous_)
        previous_->next_ = next_;
    else
        parent_->first_child_ = next_;
    if (next_)
        next_->previous_ = previous_;
}

void scope::cancel() noexcept
{
    tree_lock guard(root_->tree_locked_);
    cancel_tree();
}

// The flag first, then the fiber: one that is about to park sees the flag, or is found waiting.
void scope::cancel_tree() noexcept
{
    if (cancelled_.exchange(true, std::memory_order_seq_cst))
        return;
    cancel_wait(owner_, this);
    for (scope* child = first_child_; child; child = child->next_)
        child->cancel_tree();
}

bool scope::is_cancelled() const noexcept
{
    if (cancelled_.load(std::memory_order_seq_cst))
        return true;
    return !shielded_ && the_runtime()->ending.load(std::memory_order_seq_cst);
}

bool scope::has_ended() const noexcept
{
    return is_cancelled() || (deadline_ != never && now() >= deadline_);
}

void scope::check() const
{
    if (is_cancelled())
        throw cancelled();
    if (deadline_ != never && now() >= deadline_)
        throw deadline_exceeded();
}

void scope::set_route(std::string_view route) noexcept
{
    spin_lock w(owner_->lock); // the dump reads it
    route_ = route;
}

// The scope around this one, whoever's it is: a shield has no parent, but it has an outside.
scope* scope::outside() const noexcept
{
    return parent_ ? parent_ : outer_;
}

void scope::note_commit() noexcept
{
    for (scope* s = this; s; s = s->outside())
        s->committed_.store(true, std::memory_order_release);
}

bool scope::has_committed() const noexcept
{
    return committed_.load(std::memory_order_acquire);
}

void scope::note_unknown_commit() noexcept
{
    for (scope* s = this; s; s = s->outside())
        s->unknown_commit_.store(true, std::memory_order_release);
}

bool scope::has_unknown_commit() const noexcept
{
    return unknown_commit_.load(std::memory_order_acquire);
}

scope* scope::current() noexcept
{
    const record* const me = self();
    return me ? me->innermost : nullptr;
}

duration scope::remaining() noexcept
{
    const scope* const innermost = current();
    if (!innermost || innermost->deadline_ == never)
        return duration::max();
    return std::max(duration::zero(), innermost->deadline_ - now());
}

void scope::check_current()
{
    if (const scope* const innermost = current())
        innermost->check();
}

shielded_scope::shielded_scope(duration budget) : scope_(scope::shielded_tag{}, {.deadline = after(budget)})
{
}

} // namespace heddle::fiber
