#include "http/retry_budget.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::http {

namespace {

constexpr std::int64_t token = 1'000'000; // parts, so that sums are exact

std::int64_t parts_of(double tokens) noexcept
{
    return std::llround(tokens * token);
}

} // namespace

retry_budget::retry_budget(const options& options) noexcept
    : share_(parts_of(options.share)),
      a_second_(parts_of(options.least_a_second)),
      capacity_(options.capacity * token),
      filled_at_(fiber::now())
{
}

void retry_budget::note_request() noexcept
{
    add(share_);
}

bool retry_budget::try_take() noexcept
{
    note_time();
    std::int64_t had = parts_.load(std::memory_order_relaxed);
    while (had >= token) {
        if (parts_.compare_exchange_weak(had, had - token, std::memory_order_relaxed))
            return true;
    }
    return false;
}

void retry_budget::add(std::int64_t parts) noexcept
{
    std::int64_t had = parts_.load(std::memory_order_relaxed);
    while (!parts_.compare_exchange_weak(had, std::min(capacity_, had + parts), std::memory_order_relaxed)) {
    }
}

// Whoever moves the time on adds what has grown since.
void retry_budget::note_time() noexcept
{
    if (a_second_ == 0)
        return;
    using std::chrono::milliseconds;
    const fiber::time_point now = fiber::now();
    fiber::time_point since = filled_at_.load(std::memory_order_relaxed);
    const auto passed = std::chrono::duration_cast<milliseconds>(now - since);
    if (passed < milliseconds(10) ||
        !filled_at_.compare_exchange_strong(since, now, std::memory_order_relaxed))
        return;
    const std::int64_t most = capacity_ * 1000 / a_second_; // the milliseconds that fill it
    add(std::min<std::int64_t>(passed.count(), most) * a_second_ / 1000);
}

} // namespace heddle::http
