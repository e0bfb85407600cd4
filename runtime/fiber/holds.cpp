#include "fiber/record.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace heddle::fiber {

namespace {

std::atomic<std::uint64_t> next_token{1};

bool holds(record& fiber, const void* what) noexcept
{
    spin_lock w(fiber.lock);
    return std::any_of(fiber.holds.begin(), fiber.holds.end(), [&](const held& one) { return one.what == what; });
}

} // namespace

hold_token hold(const void* what, const char* label)
{
    record* const me = self();
    if (!me)
        return {};
    const std::uint64_t token = next_token.fetch_add(1, std::memory_order_relaxed);
    spin_lock w(me->lock);
    me->holds.push_back({what, label, token});
    return {me, me->serial, token};
}

// The fiber may have ended, and its slot may have another one by now: the serial tells, and then there is nothing to do.
void release_hold(const hold_token& token) noexcept
{
    if (!token.fiber)
        return;
    spin_lock w(token.fiber->lock);
    if (token.fiber->serial != token.serial)
        return;
    auto& holds = token.fiber->holds;
    const auto mine =
        std::find_if(holds.begin(), holds.end(), [&](const held& one) { return one.token == token.token; });
    if (mine != holds.end())
        holds.erase(mine);
}

// A parent waits until its children have ended, so the chain upwards is alive.
bool held_by_me_or_ancestor(const void* what) noexcept
{
    for (record* fiber = self(); fiber; fiber = fiber->parent)
        if (holds(*fiber, what))
            return true;
    return false;
}

} // namespace heddle::fiber
