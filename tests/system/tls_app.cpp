// A server that speaks TLS and little else, to be looked at by the programs that look for weaknesses of it:
// each connection gets one short answer. Prints its port, and serves until it is killed.
// Usage: system_tls_app CHAIN KEY
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/fiber/task_group.hpp>
#include <heddle/net/listener.hpp>
#include <heddle/net/tls_stream.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace fiber = heddle::fiber;
namespace net = heddle::net;

namespace {

constexpr std::string_view answer = "HTTP/1.1 200 OK\r\n"
                                    "Content-Type: text/plain\r\n"
                                    "Strict-Transport-Security: max-age=31536000\r\n"
                                    "Content-Length: 5\r\n"
                                    "Connection: close\r\n\r\n"
                                    "pong\n";

void serve(net::socket& socket, const net::tls_context_ptr& context)
{
    net::tls_stream stream(socket, context);
    stream.handshake();
    std::string head;
    std::array<char, 4096> piece;
    while (!head.ends_with("\r\n\r\n") && head.size() < 16 * 1024) {
        const std::size_t count = stream.read_some(piece);
        if (count == 0)
            return;
        head.append(piece.data(), count);
    }
    stream.write(answer);
    stream.shutdown_write();
}

// Whatever a client does ends no other's connection.
void serve_in_time(net::socket& socket, const net::tls_context_ptr& context)
{
    try {
        fiber::within(std::chrono::seconds(10), [&] { serve(socket, context); });
    } catch (const std::exception&) {
    }
}

} // namespace

int main(int count, char** arguments)
{
    if (count != 3)
        return EXIT_FAILURE;
    return fiber::run({.workers = 2}, [&] {
        net::tls_server_options options;
        options.certificates = {{.chain = arguments[1], .key = arguments[2]}};
        const auto context = net::make_tls_context(options);
        net::listener listener(net::endpoint{.host = "127.0.0.1", .port = 0});
        std::printf("%d\n", listener.port());
        std::fflush(stdout);
        fiber::task_group::run([&](fiber::task_group& tasks) {
            while (auto accepted = listener.accept()) {
                const auto socket = std::make_shared<net::socket>(std::move(*accepted));
                tasks.start([socket, context] { serve_in_time(*socket, context); });
            }
        });
    });
}
