// The operations routes' handlers.
#include "operations.hpp"

#include <heddle/fiber/runtime.hpp>
#include <heddle/http/message.hpp>

#include <string>
#include <utility>

namespace operations {

namespace fiber = heddle::fiber;
namespace http = heddle::http;

void mount(http::router& router, const heddle::metrics_page& page,
           std::function<std::string_view()> why_not_ready)
{
    router.get("/healthz", [](const http::request&) { return "ok\n"; });
    router.get("/readyz", [why_not = std::move(why_not_ready)](const http::request&) {
        const auto reason = why_not();
        return reason.empty() ? http::reply("ready\n")
                              : http::reply(http::problem{http::status::service_unavailable,
                                                          "not ready: " + std::string(reason)});
    });
    router.get("/metrics", [&page](const http::request&) {
        return http::response(http::status::ok, heddle::metrics_page::content_type, page.text());
    });
}

void mount_debug(http::router& router)
{
    router.get("/debug/fibers", [](const http::request&) { return fiber::dump_fibers(); });
}

} // namespace operations
