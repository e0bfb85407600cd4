// A client and a server that meet over TLS: two fibers, a real socket, and certificates for both.
#pragma once

#include "certificates.hpp"

#include <heddle/fiber/all.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/net/listener.hpp>
#include <heddle/net/tls_stream.hpp>

#include <array>
#include <functional>
#include <memory>
#include <string>

namespace fiber = heddle::fiber;
namespace net = heddle::net;
using namespace std::chrono_literals;

inline certificates& issuer()
{
    static certificates made;
    return made;
}

inline const net::tls_certificate& a_test()
{
    static const auto made = issuer().issue("a.test", "DNS:a.test,DNS:*.a.test,IP:127.0.0.1");
    return made;
}

inline const net::tls_certificate& b_test()
{
    static const auto made = issuer().issue("b.test", "DNS:b.test");
    return made;
}

inline net::tls_context_ptr server_context(net::tls_server_options options = {})
{
    if (options.certificates.empty())
        options.certificates = {a_test(), b_test()};
    return net::make_tls_context(options);
}

inline net::tls_context_ptr client_context(net::tls_client_options options = {},
                                           const std::string& authorities = issuer().authority())
{
    options.authorities = authorities;
    return net::make_tls_context(options);
}

using server_side = std::function<void(net::tls_stream&)>;
using client_side = std::function<void(net::tls_stream&)>;

// One connection: both sides at once, each with its own hand-shake. A side's failure is thrown when both have
// ended.
struct meeting
{
    net::tls_context_ptr server = server_context();
    net::tls_context_ptr client = client_context();
    std::string host = "a.test";

    void hold(const server_side& serve, const client_side& ask) const
    {
        fiber::run({.workers = 1}, [&] { // checks on both sides
            fiber::scope limit{{.deadline = fiber::after(20s)}};
            net::listener listener({.host = "127.0.0.1", .port = 0});
            std::exception_ptr failure;
            fiber::all(
                [&] {
                    auto socket = listener.accept();
                    net::tls_stream stream(*socket, server);
                    try {
                        stream.handshake();
                        serve(stream);
                    } catch (const net::broken&) {
                        server_failure = std::current_exception();
                    }
                    stream.shutdown_write();
                },
                [&] {
                    try {
                        const auto stream = net::tls_connect(
                            net::connect({.host = "127.0.0.1", .port = listener.port()}), client, host);
                        ask(*stream);
                    } catch (const net::broken&) {
                        failure = std::current_exception();
                    }
                });
            if (failure)
                std::rethrow_exception(failure);
        });
    }

    // Why the client's side failed.
    std::string why_not() const
    {
        try {
            hold([](net::tls_stream&) {}, [](net::tls_stream& s) { read_all(s); });
        } catch (const net::tls_error& e) {
            return e.what();
        }
        return {};
    }

    static std::string read_all(net::stream& from)
    {
        std::string all;
        std::array<char, 5000> piece;
        while (const std::size_t count = from.read_some(piece))
            all.append(piece.data(), count);
        return all;
    }

    mutable std::exception_ptr server_failure;
};
