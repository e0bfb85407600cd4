// Routes for those who run the server: is it there, may it be sent requests, what is it doing.
#pragma once

#include <heddle/base/metrics.hpp>
#include <heddle/http/router.hpp>

#include <functional>
#include <string_view>

namespace operations {

// GET /healthz and /metrics, and /readyz, which answers 200 where `why_not_ready()` is empty, and otherwise
// 503 with it. `page` must outlive the router; `why_not_ready` is called by any worker and does not park.
void mount(heddle::http::router& router, const heddle::metrics_page& page,
           std::function<std::string_view()> why_not_ready);

// GET /debug/fibers: one line for each fiber. It names routes and request ids, so it is not for clients.
void mount_debug(heddle::http::router& router);

} // namespace operations
