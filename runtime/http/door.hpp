// A listener with what it serves.
#pragma once

#include "http/connections.hpp"
#include "http/service.hpp"
#include "http/tls_door.hpp"

#include <heddle/http/listener_options.hpp>
#include <heddle/net/listener.hpp>

#include <optional>

namespace heddle::http {

struct door
{
    // Listens at once. Throws: config_error.
    door(const listener_options& options, http::service service);

    listener_kind kind;
    net::listener listener;
    std::optional<tls_door> tls; // the service refers to it
    http::service service;
};

// Until the scope ends; then closes the listener. Parks.
void accept_all(door& door, connections& connections);

} // namespace heddle::http
