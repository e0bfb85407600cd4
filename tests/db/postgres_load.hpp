// Requests at an even pace, whatever becomes of them, and what became of them when.
#pragma once

#include "postgres_fixture.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <vector>

// Those that F03, F04 and F05 give: A = 500 ms.
const fiber::pool_options short_budgets{.size = 4, .acquire_budget = 500ms, .connect_budget = 1s};

// "returned: 12 overloaded: 3 "
inline std::string shown(const std::map<std::string, int>& counts)
{
    std::string text;
    for (const auto& [ending, count] : counts)
        text += ending + ": " + std::to_string(count) + " ";
    return text;
}

// One request: how it ended, and when.
struct request
{
    double began; // ms since the load's start
    double took;  // ms
    std::string ending;
};

// Sends requests at an even pace for as long as it is told to, each on a fiber of its own.
class load
{
public:
    // `request`: what each of them does.
    load(
        db::lane& lane, fiber::duration deadline,
        std::function<void(db::lane&)> request = [](db::lane& l) { l.one<int>("SELECT 1"); })
        : lane_(lane), deadline_(deadline), request_(std::move(request))
    {
    }

    void run(fiber::duration pause, fiber::duration lasts)
    {
        began_ = fiber::now();
        fiber::task_group::run([&](fiber::task_group& tasks) {
            while (fiber::now() - began_ < lasts) {
                tasks.start([this] { send(); });
                const auto due = fiber::after(pause);
                fiber::sleep_for(pause);
                late_ = std::max(late_, milliseconds_since(due));
            }
        });
    }

    // Of the requests that began at `from` ms or later, and had ended by `to`: how many ended how.
    std::map<std::string, int> endings(double from, double to) const
    {
        std::map<std::string, int> counts;
        for (const auto& r : done_)
            if (r.began >= from && r.began + r.took < to)
                ++counts[r.ending];
        return counts;
    }

    // What a bound of `ms` may become on this machine, now: it let a fiber that slept wait for so long.
    double allowed(double ms) const { return ms + 5 * late_; }
    // Whether the machine itself stood still for so long that a budget may have passed over it.
    bool was_held_up() const { return late_ > 100; }

    double slowest() const
    {
        double most = 0;
        for (const auto& r : done_)
            most = std::max(most, r.took);
        return most;
    }

    double now() const { return milliseconds_since(began_); }

    // When the first request succeeded that began at or after `from`; -1 if none did.
    double first_success(double from) const
    {
        double first = -1;
        for (const auto& r : done_)
            if (r.began >= from && r.ending == "returned" && (first < 0 || r.began + r.took < first))
                first = r.began + r.took;
        return first;
    }

private:
    void send()
    {
        const double at = now();
        const auto ending = ending_of([&] { fiber::within(deadline_, [&] { request_(lane_); }); });
        const request one{at, now() - at, ending};
        const fiber_lock guard(mutex_);
        done_.push_back(one);
    }

    using fiber_lock = std::lock_guard<std::mutex>; // nothing parks under it
    db::lane& lane_;
    fiber::duration deadline_;
    std::function<void(db::lane&)> request_;
    fiber::time_point began_;
    double late_ = 0; // ms; the worst of the pauses
    std::mutex mutex_;
    std::vector<request> done_;
};
