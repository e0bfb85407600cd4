// A bounded number of things that are expensive to open (connections), lent to one fiber at a time.
#pragma once

#include <heddle/fiber/holding.hpp>
#include <heddle/fiber/pool_core.hpp>
#include <heddle/fiber/scope.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace heddle::fiber {

template <class T>
class lease;

class reclaimable;

// How a pool deals with its connections. The first three may park; they run within the pool's budgets.
template <class T>
struct pool_functions
{
    std::function<std::unique_ptr<T>()> open; // on a fiber of the pool's own
    std::function<void(T&)> close = {};       // says good-bye; on a fiber of the pool's own
    std::function<bool(T&)> check = {};       // is it alive? On the borrower's fiber
    std::function<void(T&)> interrupt = {};   // ends what it is doing; any thread, never throws, and is
                                              // short: it runs under the pool's spin lock
    std::function<bool(T&)> keep = {}; // false: not fit for the next borrower. On return; short, never throws
};

// A borrower takes whichever comes first, a returned connection or a new one; it never opens one itself. A
// returned connection goes to the oldest waiter, past whom nobody takes. Broken ones count until they are
// closed.
// Threads: any fiber of the runtime for acquire() and close(); any thread while the runtime runs for the
// rest, and for giving leases back.
template <class T>
class pool
{
public:
    // Makes and fills a pool in the background. Call it on a fiber.
    // Throws: config_error, naming every wrong field.
    pool(pool_options options, pool_functions<T> functions)
        : core_(std::move(options), hooks(std::move(functions)))
    {
    }

    // Closes without waiting: the pool's own fibers close what is idle now and what is returned later.
    ~pool() = default;

    // Leases a connection.
    // Parks: until one is free or open, for at most `acquire_budget`.
    // Throws: overloaded (pool), by `acquire_budget` or the scope's deadline; error (unavailable) if none
    // could be opened or the pool is closed; cancelled; error if this fiber, or one that waits for it, has a
    // lease of this pool already.
    lease<T> acquire() { return lease<T>(core_.acquire()); }

    // Ends the pool: idle connections are closed, waiters and later borrowers get an error. May be called
    // again.
    // Parks: until the last lease is back and closed; those still out after `grace` are interrupted.
    // Throws: deadline_exceeded, cancelled; the pool is closing all the same.
    void close(duration grace) { core_.close(grace); }

    // A smaller size takes effect as leases come back. Throws: config_error.
    void resize(std::int64_t size) { core_.resize(size); }

    // Lets borrowers wait until resume(); leases go on.
    void suspend() noexcept { core_.suspend(); }
    void resume() noexcept { core_.resume(); }

    // Closes every connection: idle ones now, leased ones on their return.
    void clear() noexcept { core_.clear(); }

    const std::string& name() const noexcept { return core_.name(); }
    pool_statistics statistics() const noexcept { return core_.statistics(); }

private:
    static pool_hooks hooks(pool_functions<T> f)
    {
        pool_hooks hooks;
        if (f.open)
            hooks.open = [open = std::move(f.open)]() -> void* { return open().release(); };
        hooks.close = [close = std::move(f.close)](void* object) {
            const std::unique_ptr<T> mine(static_cast<T*>(object));
            if (close)
                close(*mine);
        };
        if (f.check)
            hooks.check = [check = std::move(f.check)](void* object) {
                return check(*static_cast<T*>(object));
            };
        if (f.interrupt)
            hooks.interrupt = [end = std::move(f.interrupt)](void* object) { end(*static_cast<T*>(object)); };
        if (f.keep)
            hooks.keep = [keep = std::move(f.keep)](void* object) { return keep(*static_cast<T*>(object)); };
        return hooks;
    }

    pool_core core_;
};

// A connection on loan; returned once, when it is destroyed or released. May outlive its pool.
template <class T>
class lease
{
public:
    lease(lease&& other) noexcept
        : entry_(std::exchange(other.entry_, nullptr)),
          broken_(other.broken_),
          holding_(std::move(other.holding_))
    {
    }
    lease& operator=(lease&& other) noexcept
    {
        std::swap(entry_, other.entry_);
        std::swap(broken_, other.broken_);
        std::swap(holding_, other.holding_);
        return *this;
    }
    ~lease() { release(); }

    // Throws: error after it was returned, or reclaimed.
    T& operator*() const
    {
        if (!entry_ || pool_core::is_reclaimed(entry_))
            pool_core::refuse_returned();
        return *static_cast<T*>(pool_core::object_of(entry_));
    }
    T* operator->() const { return &**this; }

    // It must not be lent again: it will be closed when it is returned.
    void mark_broken() noexcept { broken_ = true; }
    bool is_broken() const noexcept { return broken_; }

    // For the log, should it be held for too long: what the borrower does from here on. Copied, and cut to
    // 200 bytes.
    void note_work(std::string_view text) const noexcept
    {
        if (entry_)
            pool_core::note_work(entry_, text);
    }

    // Returns it now; does nothing the second time.
    void release() noexcept
    {
        if (auto* const entry = std::exchange(entry_, nullptr)) {
            holding_.end();
            pool_core::give_back(entry, broken_);
        }
    }

    explicit operator bool() const noexcept { return entry_ != nullptr; }

private:
    friend class pool<T>;
    friend class reclaimable;

    explicit lease(pool_entry* entry) : entry_(entry)
    {
        try {
            holding_ = holding(pool_core::owner_of(entry), pool_core::name_of(entry));
        } catch (...) {
            release();
            throw;
        }
    }

    pool_entry* entry_;
    bool broken_ = false;
    holding holding_;
};

// While it lives, `reclaim_after` ends the work of the calling fiber: what is done inside is done in a scope
// that the pool may cancel. The lease outlives it.
class reclaimable
{
public:
    template <class T>
    explicit reclaimable(const lease<T>& lease) : entry_(pool_core::may_reclaim(lease.entry_))
    {
        if (entry_)
            pool_core::set_scope(entry_, &scope_.emplace(scope::options{}));
    }
    ~reclaimable()
    {
        if (entry_)
            pool_core::set_scope(entry_, nullptr);
    }
    reclaimable(const reclaimable&) = delete;
    reclaimable& operator=(const reclaimable&) = delete;

private:
    pool_entry* entry_;
    std::optional<scope> scope_;
};

} // namespace heddle::fiber
