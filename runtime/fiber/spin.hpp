// The lock for a few lines that cannot park. Wraps Boost.Fiber's own, because a parked fiber's lock is released by
// Boost's scheduler on its way to the next one.
#pragma once

#include <boost/fiber/detail/spinlock.hpp>

namespace heddle::fiber {

using spin = boost::fibers::detail::spinlock;
using spin_lock = boost::fibers::detail::spinlock_lock;

} // namespace heddle::fiber
