// Whether a fiber has data of boost::fibers::fiber_specific_ptr, which Boost destroys with the fiber.
#pragma once

#include <boost/fiber/context.hpp>

namespace heddle::fiber {

bool has_local_data(const boost::fibers::context& fiber) noexcept;

} // namespace heddle::fiber
