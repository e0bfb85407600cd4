// Makes the database ready for requests, beside a server that already listens: a database may come later than
// its clients, and whoever started them learns from /readyz what they wait for.
#pragma once

#include "settings.hpp"

#include <heddle/db/database.hpp>
#include <heddle/fiber/mutex.hpp>
#include <heddle/http/words.hpp>

#include <atomic>
#include <memory>

namespace heddle::fiber {
class scope;
}

namespace app {

// `with` must outlive it. Make it on a fiber.
class starter
{
public:
    starter(std::shared_ptr<heddle::db::driver> driver, const settings& with);

    // One attempt: looks at the server's capacity, makes the tables and, in a new database, the orders that
    // are generated. Waits for a connection for at most `start_budget`.
    // Parks. Throws: config_error if the tables are not ours; what the database says.
    void prepare();

    // Attempts until one succeeds, or stop(). Waits for the database for as long as it takes.
    // Returns whether one has. Parks.
    // Throws: what will not be better the next time; cancelled.
    bool run();

    // Ends run(). Parks: for the mutex only.
    void stop();

    // What is waited for; nullptr: nothing any more. For clients to read: it names no host and no table.
    const char* waits_for() const noexcept { return waits_for_.load(std::memory_order_acquire); }

    // Answers 503, with Retry-After, until it is prepared. This must outlive it.
    heddle::http::middleware only_when_prepared() const;

private:
    void attempt(heddle::fiber::duration budget);
    void attempt_over(heddle::db::lane& lane);
    void make_tables();
    void attempt_until_done();

    const std::shared_ptr<heddle::db::driver> driver_;
    const settings& with_;
    std::atomic<const char*> waits_for_;
    heddle::fiber::mutex mutex_; // guards the two below
    heddle::fiber::scope* running_ = nullptr;
    bool stopped_ = false;
};

} // namespace app
