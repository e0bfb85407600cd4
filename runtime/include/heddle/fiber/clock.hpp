// The runtime's time: monotonic, and under a test's control in testing::runtime.
#pragma once

#include <chrono>

namespace heddle::fiber {

using duration = std::chrono::nanoseconds;
using time_point = std::chrono::time_point<std::chrono::steady_clock, duration>;

// Now. Virtual inside testing::runtime, CLOCK_MONOTONIC everywhere else.
time_point now() noexcept;

// `d` from now, without overflow: a very large `d` is never.
time_point after(duration d) noexcept;

inline constexpr time_point never = time_point::max();

} // namespace heddle::fiber
