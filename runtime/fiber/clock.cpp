#include <heddle/fiber/clock.hpp>

#include "fiber/runtime_state.hpp"

namespace heddle::fiber {

time_point now() noexcept
{
    const runtime_state* const state = the_runtime();
    if (state && state->virtual_time)
        return state->virtual_now.load(std::memory_order_acquire);
    return std::chrono::steady_clock::now();
}

time_point after(duration d) noexcept
{
    const time_point from = now();
    return d >= never - from ? never : from + d;
}

} // namespace heddle::fiber
