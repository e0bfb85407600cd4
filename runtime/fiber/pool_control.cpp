// What is done to a pool as a whole while it runs: its size, a pause, new connections for old ones, its end.
#include <heddle/fiber/pool_core.hpp>

#include <heddle/base/error.hpp>

#include "fiber/pool_state.hpp"

#include <utility>

namespace heddle::fiber {

void pool_core::close(duration grace)
{
    const auto pool = state_;
    time_point until = after(grace);
    spin_lock guard(pool->lock);
    if (!pool->closed)
        pool->begin_closing();
    while (!pool->drained) {
        waiter me;
        const wake outcome = pool->closing_down.wait(
            me, guard, {.reason = "pool to close", .name = pool->options.name.c_str(), .until = until});
        if (outcome == wake::timed_out) {
            for (auto* entry = pool->active.first(); entry && pool->hooks.interrupt; entry = entry->next)
                pool->hooks.interrupt(entry->object);
            until = never;
        } else if (outcome != wake::notified) {
            guard.unlock();
            check(outcome);
        }
    }
}

void pool_core::resize(std::int64_t size)
{
    if (size < 1 || size > max_pool_size || size < state_->options.min_idle)
        throw config_error("pool \"" + name() + "\": its size cannot become " + std::to_string(size));
    std::vector<time_point> attempts(static_cast<std::size_t>(size), time_point::min());
    const spin_lock guard(state_->lock);
    state_->size = size;
    state_->attempts.swap(attempts);
    state_->attempt_at = 0;
    while (state_->idle.size() > 0 && state_->living() > size)
        state_->retire_idle(*state_->idle.first());
    state_->closer.wake_one(); // starts openers, if somebody waits
}

void pool_core::suspend() noexcept
{
    const spin_lock guard(state_->lock);
    state_->suspended = true;
}

void pool_core::resume() noexcept
{
    const spin_lock guard(state_->lock);
    state_->suspended = false;
    while (!state_->borrowers.empty()) {
        pool_entry* const entry = state_->take_idle(now());
        if (!entry)
            break;
        state_->place(*entry, now());
    }
    state_->closer.wake_one(); // starts openers for the rest
}

void pool_core::clear() noexcept
{
    const spin_lock guard(state_->lock);
    while (state_->idle.size() > 0)
        state_->retire_idle(*state_->idle.first());
    for (auto* list : {&state_->active, &state_->checking})
        for (auto* entry = list->first(); entry; entry = entry->next)
            entry->broken = true;
}

} // namespace heddle::fiber
