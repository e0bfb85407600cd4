// The rhythm of fibers that do something now and then as long as the server serves.
#pragma once

#include <heddle/fiber/clock.hpp>
#include <heddle/fiber/condition_variable.hpp>
#include <heddle/fiber/mutex.hpp>

namespace app {

class ticker
{
public:
    // Parks: for `interval`, or until stop(). Returns whether to go on. Throws: cancelled.
    bool wait(heddle::fiber::duration interval);

    // For good. Parks: for the mutex only.
    void stop();

private:
    heddle::fiber::mutex mutex_; // guards stopped_
    heddle::fiber::condition_variable stopping_;
    bool stopped_ = false;
};

} // namespace app
