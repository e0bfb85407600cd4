// The demonstration routes' handlers.
#include "demonstration.hpp"

#include <heddle/fiber/compute.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/task_group.hpp>
#include <heddle/http/message.hpp>

#include <boost/describe.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace demonstration {

namespace fiber = heddle::fiber;
namespace http = heddle::http;

namespace {

using std::chrono::milliseconds;

struct message
{
    std::string message;
};
BOOST_DESCRIBE_STRUCT(message, (), (message))

struct computed
{
    std::uint64_t rounds;
};
BOOST_DESCRIBE_STRUCT(computed, (), (rounds))

struct fanned_out
{
    std::int64_t fibers;
    std::int64_t sum; // of the fibers' numbers, 1 to `fibers`
};
BOOST_DESCRIBE_STRUCT(fanned_out, (), (fibers, sum))

http::response text(std::string body)
{
    return http::response(http::status::ok, "text/plain", std::move(body));
}

// `name` of the query, or `otherwise`; anything but 0 to `most` is refused.
std::int64_t number(const http::request& req, const char* name, std::int64_t otherwise, std::int64_t most)
{
    const auto n = req.query<std::int64_t>(name).value_or(otherwise);
    if (n < 0 || n > most)
        throw http::rejected(http::problem::invalid(std::string("/query/") + name,
                                                    "must be from 0 to " + std::to_string(most)));
    return n;
}

// Keeps the processor busy. Looks at the thread's clock, not
// at the runtime's: a test's virtual time would never pass.
computed spin(milliseconds d)
{
    const auto end = std::chrono::steady_clock::now() + d;
    computed done{0};
    while (std::chrono::steady_clock::now() < end)
        ++done.rounds;
    return done;
}

http::response hello(const http::request& req)
{
    const auto name = req.query<std::string>("name").value_or("World");
    return http::response(http::status::ok, "text/plain; charset=utf-8", "Hello, " + name + "!\n");
}

http::response echo(const http::request& req)
{
    const auto type = req.header(http::field::content_type);
    return http::response(http::status::ok, type.empty() ? "application/octet-stream" : type,
                          std::string(req.body()));
}

// GET /sleep?ms=50: parks; the worker goes on with others.
http::response sleep(const http::request& req)
{
    fiber::sleep_for(milliseconds(number(req, "ms", 50, 60'000)));
    return text("slept\n");
}

// GET /compute?ms=50: keeps its worker busy. With &aside=true it does so on a compute worker instead.
computed compute(const http::request& req)
{
    const milliseconds d(number(req, "ms", 50, 10'000));
    if (req.query<bool>("aside").value_or(false))
        return fiber::compute([d] { return spin(d); });
    return spin(d);
}

// GET /fan-out?n=10&ms=50: n fibers that sleep side by side.
fanned_out fan_out(const http::request& req)
{
    const auto n = number(req, "n", 10, 1000);
    const milliseconds d(number(req, "ms", 50, 60'000));

    std::vector<std::int64_t> results(static_cast<std::size_t>(n));
    fiber::task_group::run([&](fiber::task_group& tasks) {
        for (std::size_t i = 0; i < results.size(); ++i)
            tasks.start([&results, i, d] {
                fiber::sleep_for(d);
                results[i] = static_cast<std::int64_t>(i) + 1;
            });
    });

    fanned_out done{n, 0};
    for (const auto result : results)
        done.sum += result;
    return done;
}

} // namespace

void mount(http::router& router)
{
    router.get("/hello", hello);
    router.post("/echo", echo);
    router.get("/sleep", sleep);
    router.get("/compute", compute);
    router.get("/fan-out", fan_out);
    router.get("/plaintext", [](const http::request&) { return text("Hello, World!"); });
    router.get("/json", [](const http::request&) { return message{"Hello, World!"}; });
}

} // namespace demonstration
