// Adds members and lets them go; each is told under its own lock, so that it can leave at once.
#include "sqlite/group.hpp"

#include <heddle/base/log.hpp>
#include <heddle/fiber/scope.hpp>

#include "failure.hpp"
#include "fiber/park.hpp"

#include <chrono>
#include <new>
#include <utility>

namespace heddle::db::lite {

namespace {

// Routes that are named in the log, at most: they are the program's, but who knows.
constexpr std::size_t most_named = 100;

// One group in so many looks for company where there was none before.
constexpr std::uint64_t groups_between_looks = 16;

void count(std::atomic<std::uint64_t>& counter, std::uint64_t more = 1) noexcept
{
    counter.store(counter.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

} // namespace

void group::member::wait()
{
    {
        fiber::spin_lock lock(lock_);
        while (!ended_) {
            waiting_ = fiber::self();
            fiber::park(lock, {.reason = "shared commit", .interruptible = false});
            lock = fiber::spin_lock(lock_);
        }
    }
    if (!failure_)
        return;
    if (failure_->unknown)
        throw commit_unknown(failure_->what, failure_->code);
    throw error(failure_->kind, failure_->what, failure_->code);
}

group::group(const sqlite_options& options)
    : limit_(options.group_limit),
      wait_(options.group_wait),
      undone_(std::make_shared<failure>()),
      unexplained_(std::make_shared<failure>())
{
    undone_->what = "SQLite has undone the transactions of one COMMIT together: nothing was written";
    unexplained_->unknown = true;
    unexplained_->what = "COMMIT failed, and there is no memory left to say how";
}

void group::add(member& one) noexcept
{
    if (is_empty())
        oldest_ = fiber::now();
    (last_ ? last_->next_ : first_) = &one;
    last_ = &one;
    ++size_;
}

void group::add_reader(member& one) noexcept
{
    add(one);
    ++readers_;
}

bool group::is_due(fiber::time_point now) const noexcept
{
    return size_ >= limit_ || now - oldest_ >= wait_;
}

bool group::expects_company() const noexcept
{
    return size_ > 1 || size_before_ > 1 ||
           groups_.load(std::memory_order_relaxed) % groups_between_looks == 0;
}

void group::failed(const std::exception_ptr& failed) noexcept
{
    end(explain(failed));
}

void group::end(const std::shared_ptr<const failure>& failure) noexcept
{
    if (is_empty())
        return;
    count(groups_);
    count(members_, size_ - std::exchange(readers_, 0));
    last_ = nullptr;
    size_before_ = std::exchange(size_, 0);
    member* one = std::exchange(first_, nullptr);
    while (one) {
        auto* const next = one->next_;
        const fiber::spin_lock lock(one->lock_);
        one->failure_ = failure;
        one->ended_ = true;
        if (one->waiting_)
            fiber::unpark(one->waiting_);
        one = next;
    } // it takes its lock before it leaves: it lives up to here
}

void group::note_turn(fiber::time_point began) noexcept
{
    const auto lasted = fiber::now() - began;
    if (is_empty() || lasted <= wait_)
        return;
    count(held_up_);
    // A name that cannot be kept is not worth a failure.
    static_cast<void>(failure_of([&] {
        const auto* const scope = fiber::scope::current();
        std::string route(scope ? scope->route() : "");
        if (named_.size() >= most_named || !named_.insert(route).second)
            return;
        const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(lasted).count();
        log::warn("a transaction kept others, which had finished, waiting for their COMMIT",
                  {{"route", std::move(route)},
                   {"ms", std::to_string(milliseconds)},
                   {"waited", std::to_string(size_)}});
    }));
}

group_statistics group::statistics() const noexcept
{
    return {.groups = groups_.load(std::memory_order_relaxed),
            .members = members_.load(std::memory_order_relaxed),
            .held_up = held_up_.load(std::memory_order_relaxed)};
}

std::shared_ptr<const group::failure> group::explain(const std::exception_ptr& failed) const noexcept
{
    try {
        std::rethrow_exception(failed);
    } catch (const error& e) {
        try {
            return std::make_shared<const failure>(
                failure{e.kind() == kind::outcome_unknown, e.kind(), e.what(), e.code()});
        } catch (const std::bad_alloc&) {
            return unexplained_;
        }
    } catch (const std::bad_alloc&) { // perhaps while it was being told what COMMIT had said
        return unexplained_;
    } catch (...) { // it was not even tried: there is no helper thread
        return undone_;
    }
}

} // namespace heddle::db::lite
