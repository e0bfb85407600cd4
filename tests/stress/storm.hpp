// What the storms share: how long they blow, and their weather.
#pragma once

#include <heddle/fiber/clock.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/fiber/task_group.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <random>
#include <stdexcept>
#include <string_view>

namespace heddle::testing {

inline int repeats(int short_count, int full_count)
{
    const char* const wanted = std::getenv("HEDDLE_REPEAT");
    return wanted && std::string_view(wanted) == "full" ? full_count : short_count;
}

// Runs f(0), f(1), ... side by side.
inline void run_many(int count, const std::function<void(int)>& f)
{
    fiber::task_group::run([&](fiber::task_group& tasks) {
        for (int i = 0; i < count; ++i)
            tasks.start([&f, i] { f(i); });
    });
}

// Random numbers of one fiber; `seed` makes them its own, and the same in every run.
class weather
{
public:
    explicit weather(int seed) : random_(static_cast<unsigned>(seed) * 7919U + 1U) {}

    int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }
    bool one_in(int n) { return below(n) == 0; }
    fiber::duration up_to(fiber::duration most) { return most * below(1001) / 1000; }

    // Nothing, a turn for the others, or a short time.
    void pause()
    {
        if (const int what = below(3); what == 1)
            fiber::yield();
        else if (what == 2)
            fiber::sleep_for(up_to(std::chrono::microseconds(200)));
    }

private:
    std::minstd_rand random_;
};

// Runs `f` in a scope that may have little time or be cancelled by somebody else at any moment.
template <class F>
void in_trouble(weather& random, F f)
{
    const auto time = random.one_in(3) ? random.up_to(std::chrono::microseconds(300))
                                       : fiber::duration(std::chrono::seconds(10));
    const bool cancelled = random.one_in(4);
    const auto cancel_after = random.up_to(std::chrono::microseconds(200));
    try {
        fiber::task_group::run([&](fiber::task_group& tasks) {
            fiber::scope mine({.deadline = fiber::after(time)});
            if (cancelled)
                tasks.start([&] {
                    fiber::sleep_for(cancel_after);
                    throw std::runtime_error("the client has gone");
                });
            f();
        });
    } catch (const std::exception&) { // each way to end is fine here
    }
}

// A gauge that remembers its highest value.
class high_water
{
public:
    void rise()
    {
        const int level = level_.fetch_add(1) + 1;
        for (int most = most_.load(); level > most && !most_.compare_exchange_weak(most, level);) {
        }
    }
    void fall() { level_.fetch_sub(1); }
    int level() const { return level_; }
    int most() const { return most_; }

private:
    std::atomic<int> level_ = 0;
    std::atomic<int> most_ = 0;
};

} // namespace heddle::testing
