#include "expired_keys.hpp"

#include <heddle/base/error.hpp>
#include <heddle/base/log.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/idempotent/idempotent.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <string>

namespace app {

using namespace std::chrono_literals;

namespace {

constexpr std::int64_t batch = 500;

// The writes of requests come in between.
constexpr heddle::fiber::duration between_batches = 10ms;
constexpr heddle::fiber::duration interval = 1min;

struct attempt
{
    std::int64_t deleted = 0;
    std::string failure; // empty: there was none; an overload is none, since requests come first
};

attempt try_to_delete(heddle::db::lane& lane)
{
    try {
        return {.deleted = heddle::fiber::within(
                    5s, [&] { return heddle::http::forget_expired_keys(lane, batch); })};
    } catch (const heddle::cancelled&) {
        throw;
    } catch (const heddle::overloaded&) {
        return {};
    } catch (const std::exception& failure) {
        return {.failure = failure.what()};
    }
}

} // namespace

void delete_expired_keys(heddle::db::lane& lane, ticker& ticks)
{
    bool failed = false;
    for (auto pause = interval; ticks.wait(pause);) {
        const auto last = try_to_delete(lane);
        pause = last.deleted == batch ? between_batches : interval;
        if (!last.failure.empty() && !failed)
            heddle::log::warn("expired idempotency keys were not deleted", {{"cause", last.failure}});
        failed = !last.failure.empty();
    }
}

} // namespace app
