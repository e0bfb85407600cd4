// A runtime for tests: the test's own thread is the only worker, and time stands still until the test moves it.
#pragma once

#include <heddle/fiber/clock.hpp>
#include <heddle/fiber/runtime.hpp>

#include <functional>
#include <memory>

namespace heddle::fiber {
struct runtime_state;
}

namespace heddle::testing {

class runtime
{
public:
    // The calling thread runs fibers until the end of this object's life.
    explicit runtime(fiber::runtime_options options = {});

    // Cancels what is left and lets it end. Aborts, naming them, if fibers do not end: a test leaves nothing behind.
    ~runtime();

    runtime(const runtime&) = delete;
    runtime& operator=(const runtime&) = delete;

    // Makes a fiber ready; it runs when the test's thread parks, or in run_ready() and advance().
    void spawn(std::function<void()> f);

    // Lets every fiber run until all of them wait, and no offloaded call is under way. Time does not move.
    void run_ready();

    // Moves time by `d`, stopping at each timer on the way so that fibers see the times they asked for.
    void advance(fiber::duration d);

    // How many fibers are alive, the test's own thread not counted.
    std::int64_t fibers() const noexcept;

private:
    std::unique_ptr<fiber::runtime_state> state_;
};

} // namespace heddle::testing
