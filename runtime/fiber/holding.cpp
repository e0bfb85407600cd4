// The public face of a record's list of holds.
#include <heddle/fiber/holding.hpp>

#include "fiber/record.hpp"

namespace heddle::fiber {

holding::holding(const void* what, const char* label)
{
    const hold_token mine = hold(what, label);
    fiber_ = mine.fiber;
    serial_ = mine.serial;
    token_ = mine.token;
}

void holding::end() noexcept
{
    if (auto* fiber = static_cast<record*>(std::exchange(fiber_, nullptr)))
        release_hold({fiber, serial_, token_});
}

bool is_held_here(const void* what) noexcept
{
    return held_by_me_or_ancestor(what);
}

} // namespace heddle::fiber
