// Asks the database now and then whether it answers, so that /readyz costs no more than reading a flag.
#pragma once

#include <heddle/db/database.hpp>

#include "ticker.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

namespace app {

struct prober_options
{
    std::shared_ptr<heddle::db::driver> driver; // the served database's
    std::string question;                       // a statement of one integer
    heddle::fiber::duration interval = std::chrono::seconds(1);
    heddle::fiber::duration budget = std::chrono::seconds(1); // for one answer; a later one is none
};

// Has one connection of its own, so it never queues behind requests, and overload makes nothing unready.
// Make it on a fiber.
class prober
{
public:
    explicit prober(prober_options options);

    // Asks until `ticks` are stopped, then closes its connection. A question that is under way then still
    // gets its `budget`. Parks: until then. Throws: cancelled.
    void run(ticker& ticks);

    // The last verdict. Before the first: true, as it is run when the database has just been prepared.
    bool is_ready() const noexcept { return ready_.load(std::memory_order_relaxed); }

private:
    std::string ask();
    void note(const std::string& failure);

    const prober_options options_;
    heddle::db::database database_;
    std::atomic<bool> ready_ = true;
};

} // namespace app
