// Asks the database now and then whether it answers, so that /readyz costs no more than reading a flag.
#pragma once

#include <heddle/db/database.hpp>
#include <heddle/fiber/condition_variable.hpp>
#include <heddle/fiber/mutex.hpp>

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

    // Asks until stop(), then closes its connection.
    // Parks: until then. Throws: cancelled.
    void run();

    // Parks: for the mutex only. A question that is under way still gets its `budget`.
    void stop();

    // The last verdict. Before the first: true, as the database has just been prepared.
    bool is_ready() const noexcept { return ready_.load(std::memory_order_relaxed); }

private:
    std::string ask();
    void note(const std::string& failure);

    const prober_options options_;
    heddle::db::database database_;
    std::atomic<bool> ready_ = true;
    heddle::fiber::mutex mutex_; // guards stopped_
    heddle::fiber::condition_variable stopping_;
    bool stopped_ = false;
};

} // namespace app
