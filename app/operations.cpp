// The operations routes' handlers.
#include "operations.hpp"

#include <heddle/fiber/runtime.hpp>
#include <heddle/http/message.hpp>

#include <string>
#include <utility>

namespace operations {

namespace fiber = heddle::fiber;
namespace http = heddle::http;

namespace {

http::handler tells(std::function<std::string_view()> verdict, std::string word)
{
    return [verdict = std::move(verdict), word = std::move(word)](const http::request&) {
        const auto reason = verdict();
        if (reason.empty())
            return http::reply(word + '\n');
        return http::reply(
            http::problem{http::status::service_unavailable, "not " + word + ": " + std::string(reason)});
    };
}

} // namespace

void mount(http::router& router, const heddle::metrics_page& page, const verdicts& of)
{
    router.get("/healthz", [](const http::request&) { return "ok\n"; });
    router.get("/startupz", tells(of.started, "started"));
    router.get("/readyz", tells(of.ready, "ready"));
    router.get("/metrics", [&page](const http::request&) {
        return http::response(http::status::ok, heddle::metrics_page::content_type, page.text());
    });
}

void mount_debug(http::router& router)
{
    router.get("/debug/fibers", [](const http::request&) { return fiber::dump_fibers(); });
}

} // namespace operations
