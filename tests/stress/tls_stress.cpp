// A server that speaks TLS, and clients that come, ask, cut each other's time short and go, while the
// certificates are read again and again.
#include "../net/certificates.hpp"

#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/fiber/task_group.hpp>
#include <heddle/http/reply.hpp>
#include <heddle/http/server.hpp>
#include <heddle/net/tls_stream.hpp>

#define BOOST_TEST_MODULE tls_stress
#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <string>

namespace fiber = heddle::fiber;
namespace http = heddle::http;
namespace net = heddle::net;
using namespace std::chrono_literals;

namespace {

constexpr int clients = 24;
constexpr int visits = 8;    // of each client, a connection each
constexpr int questions = 6; // on each connection

const std::string body(30'000, 'x'); // two records

struct counts
{
    std::atomic<int> answered = 0;
    std::atomic<int> failed = 0;
    std::atomic<int> reloads = 0;
};

net::socket call(std::uint16_t port)
{
    return net::connect({.host = "127.0.0.1", .port = port});
}

bool is_answered(net::tls_stream& stream)
{
    stream.write("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
    std::array<char, 4096> part;
    std::string text;
    while (!text.ends_with(body)) {
        const std::size_t count = stream.read_some(part);
        if (count == 0)
            return false;
        text.append(part.data(), count);
    }
    return text.starts_with("HTTP/1.1 200");
}

void visit(std::uint16_t port, const net::tls_context_ptr& context, counts& seen)
{
    try {
        const auto stream = net::tls_connect(call(port), context, "a.test");
        for (int i = 0; i != questions; ++i)
            ++(is_answered(*stream) ? seen.answered : seen.failed);
        stream->shutdown_write();
    } catch (const net::broken&) {
        ++seen.failed;
    }
}

// Goes in the middle of a hand-shake, or with a question that is never whole.
void leave_early(std::uint16_t port, const net::tls_context_ptr& context, bool with_reset)
{
    net::socket rude = call(port);
    try {
        rude.write(std::string_view("\x16\x03\x01\x02\x00\x01", 6));
    } catch (const net::broken&) {
        return;
    }
    if (with_reset)
        return rude.close_with_reset();
    const auto stream = net::tls_connect(call(port), context, "a.test");
    stream->write("GET / HTTP/1.1\r\nHost: a.te");
}

} // namespace

BOOST_AUTO_TEST_SUITE(tls_stress)

BOOST_AUTO_TEST_CASE(answers_everybody_while_certificates_change)
{
    certificates issuer;
    const net::tls_certificate shown = issuer.issue("a.test", "DNS:a.test");
    const auto context = net::make_tls_context(net::tls_client_options{.authorities = issuer.authority()});
    counts seen;
    std::int64_t left = -1;

    fiber::run({.workers = 4}, [&] {
        http::server server({.listen = {{.at = {.host = "127.0.0.1", .port = 0},
                                         .tls = net::tls_server_options{.certificates = {shown}}}},
                             .header_time = 1min,
                             .drain_budget = 1min,
                             .handle_signals = false},
                            [](const http::request&) { return http::reply(body); });
        fiber::task_group::run([&](fiber::task_group& all) {
            all.start([&] { server.serve(); });
            fiber::task_group::run([&](fiber::task_group& tasks) {
                std::atomic<int> here = clients;
                for (int i = 0; i != clients; ++i)
                    tasks.start([&, i] {
                        for (int k = 0; k != visits; ++k) {
                            leave_early(server.port(), context, (i + k) % 2 == 0);
                            visit(server.port(), context, seen);
                        }
                        --here;
                    });
                for (; here > 0; ++seen.reloads)
                    server.reload_tls();
            });
            server.stop();
        });
        left = server.connections_open();
    });

    BOOST_TEST(seen.answered == clients * visits * questions);
    BOOST_TEST(seen.failed == 0);
    BOOST_TEST(seen.reloads > 0);
    BOOST_TEST(left == 0);
}

BOOST_AUTO_TEST_SUITE_END()
