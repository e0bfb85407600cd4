#include "ticker.hpp"

#include <mutex>

namespace app {

bool ticker::wait(heddle::fiber::duration interval)
{
    std::unique_lock lock(mutex_);
    return !stopping_.wait_for(lock, interval, [this] { return stopped_; });
}

void ticker::stop()
{
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    stopping_.notify_all();
}

} // namespace app
