// The client over real sockets and under real workers: our own server is the upstream.
#include <heddle/base/error.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/fiber/task_group.hpp>
#include <heddle/http/client.hpp>
#include <heddle/http/reply.hpp>
#include <heddle/http/router.hpp>
#include <heddle/http/server.hpp>

#define BOOST_TEST_MODULE client
#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>

namespace fiber = heddle::fiber;
namespace http = heddle::http;
using namespace std::chrono_literals;

namespace {

http::router upstream_routes()
{
    http::router routes;
    routes.get("/echo/{n}", [](const http::request& req) { return req.path<std::string>("n"); });
    routes.get("/slow", [](const http::request&) {
        fiber::sleep_for(1h);
        return "late";
    });
    routes.get("/large", [](const http::request&) {
        return http::stream("text/plain", [](http::sink& out) {
            const std::string piece(10'000, 'x');
            for (int i = 0; i < 1000; ++i)
                out.write(piece);
        });
    });
    routes.post("/count", [](const http::request& req) {
        std::array<char, 4096> piece;
        std::size_t all = 0;
        while (const std::size_t count = req.read_body(piece))
            all += count;
        return std::to_string(all);
    });
    return routes;
}

http::server_options at_any_port()
{
    return {.listen = {"127.0.0.1", 0}, .drain_budget = 0ms, .handle_signals = false};
}

// Runs `body` with a client whose upstream is a server beside it.
template <class F>
void with_upstream(http::client_options options, F&& body)
{
    fiber::run({.workers = 2}, [&] {
        http::server server(at_any_port(), upstream_routes());
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] { server.serve(); });
            options.origin = "http://localhost:" + std::to_string(server.port());
            http::client client(options);
            body(client);
            server.stop();
        });
    });
}

int repeats()
{
    const char* const wanted = std::getenv("HEDDLE_REPEAT");
    return wanted && std::string_view(wanted) == "full" ? 2000 : 200;
}

} // namespace

BOOST_AUTO_TEST_SUITE(a_client_on_the_network)

BOOST_AUTO_TEST_CASE(lets_64_fibers_share_4_connections)
{
    std::atomic<int> right = 0;
    std::uint64_t opened = 0;

    with_upstream({.max_connections = 4, .queue_wait = 1min}, [&](http::client& client) {
        fiber::task_group::run([&](fiber::task_group& tasks) {
            for (int f = 0; f < 64; ++f)
                tasks.start([&client, &right, f] {
                    for (int i = 0; i < repeats() / 10; ++i) {
                        const std::string n = std::to_string(f) + "-" + std::to_string(i);
                        right += client(http::get("/echo/" + n)).body() == n;
                    }
                });
        });
        opened = client.connections().opened;
    });

    BOOST_TEST(right.load() == 64 * (repeats() / 10));
    BOOST_TEST(opened <= 4u);
}

// Whoever is cancelled at any point leaves nothing behind that another could get for an answer of his own.
BOOST_AUTO_TEST_CASE(keeps_answers_apart_while_callers_end_at_any_time)
{
    std::atomic<int> wrong = 0;
    std::atomic<int> right = 0;
    std::int64_t active = -1;

    with_upstream({.max_connections = 4, .queue_wait = 1min, .retry_share = 1}, [&](http::client& client) {
        fiber::task_group::run([&](fiber::task_group& tasks) {
            for (int f = 0; f < 16; ++f)
                tasks.start([&client, &wrong, &right, f] {
                    for (int i = 0; i < repeats(); ++i) {
                        const std::string n = std::to_string(f) + "-" + std::to_string(i);
                        try {
                            const bool hurries = i % 2 == 0;
                            const auto answer = fiber::within(hurries ? (i % 40) * 10us : 1min, [&] {
                                return client(http::get("/echo/" + n));
                            });
                            (answer.body() == n ? right : wrong) += 1;
                        } catch (const heddle::error&) { // his time was over
                        }
                    }
                });
        });
        active = client.connections().active;
    });

    BOOST_TEST(wrong.load() == 0);
    BOOST_TEST(right.load() >= 16 * repeats() / 2);
    BOOST_TEST(active == 0);
}

BOOST_AUTO_TEST_CASE(streams_both_ways)
{
    std::size_t received = 0;
    std::string counted;

    with_upstream({}, [&](http::client& client) {
        client.stream(http::get("/large"), [&](const http::response&, http::body_source& body) {
            std::array<char, 5000> piece;
            while (const std::size_t count = body.read_some(piece))
                received += count;
        });
        counted = client(http::post("/count", ""), http::upload{[](http::sink& out) {
                             const std::string piece(10'000, 'x');
                             for (int i = 0; i < 100; ++i)
                                 out.write(piece);
                         }})
                      .body();
    });

    BOOST_TEST(received == 10'000'000u);
    BOOST_TEST(counted == "1000000");
}

BOOST_AUTO_TEST_CASE(gives_up_with_its_caller)
{
    bool is_late = false;

    with_upstream({}, [&](http::client& client) {
        try {
            fiber::within(20ms, [&] { client(http::get("/slow")); });
        } catch (const heddle::deadline_exceeded&) {
            is_late = true;
        }
    });

    BOOST_TEST(is_late);
}

BOOST_AUTO_TEST_CASE(says_when_nobody_listens)
{
    heddle::kind kind{};

    fiber::run({.workers = 1}, [&] {
        std::uint16_t port = 0;
        {
            http::server gone(at_any_port(), upstream_routes());
            port = gone.port();
        }
        http::client client({.origin = "http://127.0.0.1:" + std::to_string(port)});
        try {
            client(http::get("/"));
        } catch (const heddle::error& e) {
            kind = e.kind();
        }
    });

    BOOST_TEST((kind == heddle::kind::upstream));
}

BOOST_AUTO_TEST_SUITE_END()
