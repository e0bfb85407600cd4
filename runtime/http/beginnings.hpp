// How many tasks have begun: those that have not when their scope ends do not begin at all.
#pragma once

#include <heddle/fiber/condition_variable.hpp>
#include <heddle/fiber/mutex.hpp>

#include <cstddef>
#include <mutex>

namespace heddle::http {

class beginnings
{
public:
    void count()
    {
        const std::scoped_lock lock(mutex_);
        ++begun_;
        changed_.notify_all();
    }

    // Parks: until there are as many. Throws: deadline_exceeded, cancelled.
    void wait_for(std::size_t wanted)
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return begun_ >= wanted; });
    }

private:
    fiber::mutex mutex_; // guards begun_
    fiber::condition_variable changed_;
    std::size_t begun_ = 0;
};

} // namespace heddle::http
