// A client's conversation with an exchange over a stream in memory, and a few routes to talk to.
#pragma once

#include "http/exchange.hpp"

#include <heddle/base/error.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/http/reply.hpp>
#include <heddle/http/router.hpp>
#include <heddle/testing/memory_stream.hpp>
#include <heddle/testing/runtime.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace http = heddle::http;
using namespace std::chrono_literals;

struct conversation
{
    heddle::testing::runtime runtime;
    heddle::testing::memory_stream stream;
    http::server_state state{.options = {.request_budget = 1s, .body_limit = 1000}};
    http::router app;
    int hits = 0;
    http::service service{.state = state, .application = std::ref(app)};
    http::exchange exchange{16 * 1024};
    std::optional<http::exchange::next> last;

    conversation()
    {
        app.get("/ping", [](const http::request&) { return "pong"; });
        app.get("/hit", [this](const http::request&) { return std::to_string(++hits); });
        app.post("/echo", [](const http::request& req) { return std::string(req.body()); });
        app.get("/none", [](const http::request&) { return http::response(http::status::no_content); });
        app.get("/slow", [](const http::request&) {
            heddle::fiber::sleep_for(100ms);
            return "slow";
        });
        app.get("/stream", [](const http::request&) {
            return http::stream("text/plain", [](http::sink& out) {
                out.write("ab");
                out.write("c");
            });
        });
        app.get("/late-failure", [](const http::request&) {
            return http::stream("text/plain", [](http::sink& out) {
                out.write("ab");
                throw 42;
            });
        });
        app.get("/early-failure", [](const http::request&) {
            return http::stream("text/plain", [](http::sink&) {
                throw heddle::overloaded(heddle::overloaded::why::full, "full");
            });
        });
        exchange.begin(stream, service, "127.0.0.1:1", {});
    }

    ~conversation() { exchange.end(); }

    // Goes on, on a fiber of its own, until nothing can be done before the client does something.
    void go()
    {
        runtime.spawn([this] {
            do
                last = exchange.step();
            while (last == http::exchange::next::again ||
                   (last == http::exchange::next::rest && stream.unread() > 0));
        });
        runtime.run_ready();
    }

    std::string say(std::string_view bytes)
    {
        stream.arrive(bytes);
        go();
        return stream.take_written();
    }
};

inline std::string get(const std::string& target, const std::string& fields = "")
{
    return "GET " + target + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
}

inline std::string post(const std::string& body, const std::string& fields)
{
    return "POST /echo HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n" + body;
}

inline std::string body_of(const std::string& answer)
{
    return answer.substr(answer.find("\r\n\r\n") + 4);
}

inline std::size_t count(const std::string& text, const std::string& what)
{
    std::size_t n = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++n;
    return n;
}
