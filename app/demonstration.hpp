// Routes that show one thing each: a text, a body sent back, a
// parked fiber, a busy worker, many fibers at once.
#pragma once

#include <heddle/http/router.hpp>

namespace demonstration {

void mount(heddle::http::router& router);

} // namespace demonstration
