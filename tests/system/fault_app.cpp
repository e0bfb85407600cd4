// The application that the HTTP faults are tried on: routes without a database. Prints its ports, and serves
// until SIGTERM. Arguments: name=value, milliseconds where it is a time; see apply(). listen=unix:/path is
// one more listener.
#include <heddle/fiber/runtime.hpp>
#include <heddle/http/middleware.hpp>
#include <heddle/http/reply.hpp>
#include <heddle/http/router.hpp>
#include <heddle/http/server.hpp>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include <sys/resource.h>

namespace fiber = heddle::fiber;
namespace http = heddle::http;

namespace {

std::atomic<int> hits = 0;
std::atomic<int> working = 0; // handlers of /slow that have not returned, and streams of /events

struct counted
{
    counted() { ++working; }
    ~counted() { --working; }
};

std::string slow(const http::request& req)
{
    const counted mine;
    fiber::sleep_for(std::chrono::milliseconds(req.query<std::int64_t>("ms").value_or(100)));
    return "slow";
}

// Looks at neither cancellation nor the clock of its scope.
std::string stubborn(const http::request& req)
{
    const auto until = fiber::now() + std::chrono::milliseconds(req.query<std::int64_t>("ms").value_or(100));
    while (fiber::now() < until)
        fiber::yield();
    return "stubborn";
}

std::string big(const http::request& req)
{
    return std::string(req.query<std::uint64_t>("bytes").value_or(100), 'x');
}

// Answers without a Content-Length, in pieces of at most 10 000 bytes, and fails after `fail` of them.
http::response streamed(const http::request& req)
{
    const auto bytes = req.query<std::uint64_t>("bytes").value_or(100);
    const auto fail = req.query<std::uint64_t>("fail").value_or(~0ULL);
    return http::stream("text/plain", [bytes, fail](http::sink& out) {
        for (std::uint64_t at = 0; at < bytes; at += 10'000) {
            if (at >= fail)
                throw std::runtime_error("told to fail");
            out.write(std::string(std::min<std::uint64_t>(10'000, bytes - at), 'x'));
        }
    });
}

// GET /events?count=5&ms=20: so many numbered events, from the one on that follows Last-Event-ID. Then it
// ends, and the client comes back.
http::response events(const http::request& req)
{
    const auto count = req.query<std::int64_t>("count").value_or(5);
    const std::chrono::milliseconds pause(req.query<std::int64_t>("ms").value_or(20));
    const std::string_view last = req.header("Last-Event-ID");
    std::int64_t seen = 0;
    std::from_chars(last.data(), last.data() + last.size(), seen);
    return http::stream("text/event-stream", [count, pause, seen](http::sink& out) {
        const counted mine;
        out.write("retry: 50\n\n");
        for (auto i = seen + 1; i <= seen + count; ++i) {
            const std::string number = std::to_string(i);
            out.write("id: " + number + "\nevent: tick\ndata: number " + number + "\ndata: of many\n\n");
            fiber::sleep_for(pause);
        }
    });
}

// POST /upload?ms=10: reads the body in pieces of 64 KiB, and rests so long after each.
std::string upload(const http::request& req)
{
    const std::chrono::milliseconds rest(req.query<std::int64_t>("ms").value_or(0));
    std::string piece(64 * 1024, '\0');
    std::uint64_t taken = 0;
    while (const std::size_t count = req.read_body(piece)) {
        taken += count;
        if (rest.count() > 0)
            fiber::sleep_for(rest);
    }
    return std::to_string(taken);
}

// POST /copy: the body, on its way.
http::response copy(const http::request& req)
{
    return http::stream("application/octet-stream", [&req](http::sink& out) {
        std::string piece(16 * 1024, '\0');
        while (const std::size_t count = req.read_body(piece))
            out.write({piece.data(), count});
    });
}

void mount(http::router& app)
{
    constexpr std::uint64_t gib = std::uint64_t{1} << 30;
    app.post("/upload", http::chain({http::body_limit(gib)}, upload));
    app.post("/unpack", http::chain({http::decompression()}, [](const http::request& req) {
                 return std::to_string(req.body().size());
             }));
    app.post("/copy", http::chain({http::body_limit(gib)}, copy));
    app.get("/ping", [](const http::request&) { return "pong"; });
    app.get("/peer", [](const http::request& req) { return std::string(req.peer()); });
    app.get("/hit", [](const http::request&) { return std::to_string(++hits); });
    app.get("/count", [](const http::request&) { return std::to_string(hits); });
    app.get("/working", [](const http::request&) { return std::to_string(working); });
    app.post("/echo", [](const http::request& req) { return std::string(req.body()); });
    app.post("/ignore", [](const http::request&) { return "ignored"; });
    app.get("/slow", slow);
    app.get("/stubborn", stubborn);
    app.get("/big", big);
    app.get("/stream", streamed);
    app.get("/events", events);
    app.get("/no-content", [](const http::request&) { return http::response(http::status::no_content); });
    app.get("/not-modified", [](const http::request&) { return http::response(http::status::not_modified); });
    app.get("/throw", [](const http::request&) -> std::string { throw std::runtime_error("told to throw"); });
    app.get("/throw-int", [](const http::request&) -> std::string { throw 42; });
}

void limit_descriptors(rlim_t most)
{
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = most;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

void apply(http::server_options& options, fiber::runtime_options& runtime, std::string_view name, long value)
{
    const std::chrono::milliseconds time(value);
    if (name == "workers")
        runtime.workers = static_cast<unsigned>(value);
    else if (name == "descriptors")
        limit_descriptors(static_cast<rlim_t>(value));
    else if (name == "port")
        options.listen.all.front().at.port = static_cast<std::uint16_t>(value);
    else if (name == "operations")
        options.listen.all.push_back({.at = {.host = "127.0.0.1", .port = static_cast<std::uint16_t>(value)},
                                      .kind = http::listener_kind::operations});
    else if (name == "max_requests")
        options.max_requests = value;
    else if (name == "max_connections")
        options.max_connections = value;
    else if (name == "request_budget")
        options.request_budget = time;
    else if (name == "header_time")
        options.header_time = time;
    else if (name == "idle_time")
        options.idle_time = time;
    else if (name == "send_budget")
        options.send_budget = time;
    else if (name == "write_stall")
        options.write_stall = time;
    else if (name == "notice_time")
        options.notice_time = time;
    else if (name == "drain_budget")
        options.drain_budget = time;
    else if (name == "interrupt_budget")
        options.interrupt_budget = time;
    else
        throw std::invalid_argument(std::string(name));
}

} // namespace

int main(int argc, char** argv)
{
    http::server_options options{.listen = {"127.0.0.1", 0}};
    fiber::runtime_options runtime{.workers = 2};
    for (int i = 1; i < argc; ++i) {
        const char* const equals = std::strchr(argv[i], '=');
        if (!equals)
            return EXIT_FAILURE;
        if (std::string_view(argv[i]).starts_with("listen=")) {
            options.listen.all.push_back({.at = heddle::net::parse_endpoint(equals + 1)});
            continue;
        }
        apply(options, runtime, std::string_view(argv[i], static_cast<std::size_t>(equals - argv[i])),
              std::atol(equals + 1));
    }
    return fiber::run(runtime, [&] {
        http::router app;
        mount(app);
        http::server server(options, std::ref(app), std::ref(app));
        std::printf("%d %d\n", server.port(), server.operations_port());
        std::fflush(stdout);
        server.serve();
    });
}
