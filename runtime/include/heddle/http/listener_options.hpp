// Where a server listens, and for whom.
#pragma once

#include <heddle/net/endpoint.hpp>
#include <heddle/net/tls.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::http {

enum class listener_kind
{
    clients,
    operations, // health, metrics and dumps: neither max_requests nor max_connections holds there
};

struct listener_options
{
    net::endpoint at = {.host = "127.0.0.1", .port = 8080}; // or {.path = "/run/heddle.sock"}
    listener_kind kind = listener_kind::clients;
    int backlog = 4096;        // connections that may wait; the kernel's net.core.somaxconn is the most
    unsigned unix_mode = 0660; // of a unix-domain socket's file: who may write to it may connect
    // Not -1: a socket that listens already and is taken over, such as systemd's (net::inherited_sockets());
    // the fields above but `kind` say nothing then.
    int descriptor = -1;
    std::optional<net::tls_server_options> tls = {}; // absent: what comes is not encrypted
};

// One, as {"127.0.0.1", 8080} or as an endpoint; or several, as {{.at = ...}, {.at = ..., .kind = ...}}.
struct listener_list
{
    listener_list() = default;
    listener_list(std::string host, std::uint16_t port) : all{{.at = {.host = std::move(host), .port = port}}}
    {
    }
    listener_list(net::endpoint at) : all{{.at = std::move(at)}} {}
    listener_list(std::initializer_list<listener_options> several) : all(several) {}

    std::vector<listener_options> all;
};

} // namespace heddle::http
