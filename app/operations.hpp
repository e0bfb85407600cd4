// Routes for those who run the server: is it there, may it be sent requests, what is it doing.
#pragma once

#include <heddle/base/metrics.hpp>
#include <heddle/http/router.hpp>

#include <functional>
#include <string_view>

namespace operations {

// Why it is not so; empty: it is. Called by any worker; they do not park.
struct verdicts
{
    std::function<std::string_view()> started; // once it is so, for good
    std::function<std::string_view()> ready;   // whether clients may be sent here now
};

// GET /healthz and /metrics; /startupz and /readyz, which answer 200, or 503 with the reason. `page` must
// outlive the router.
void mount(heddle::http::router& router, const heddle::metrics_page& page, const verdicts& of);

// GET /debug/fibers: one line for each fiber. It names routes and request ids, so it is not for clients.
void mount_debug(heddle::http::router& router);

} // namespace operations
