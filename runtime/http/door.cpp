#include "http/door.hpp"

#include <heddle/base/log.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>

#include <new>
#include <utility>

namespace heddle::http {

namespace {

constexpr int batch = 64;             // connections taken before others have their turn
constexpr int longest_backlog = 4096; // connections that may wait when the listener closes

net::listener open(const listener_options& options)
{
    if (options.descriptor != -1)
        return net::listener(options.descriptor);
    return net::listener(options.at, {.backlog = options.backlog, .unix_mode = options.unix_mode});
}

void take(door& door, connections& connections, net::socket&& accepted)
{
    try {
        connections.take(std::move(accepted), door.service);
    } catch (const std::bad_alloc&) {
        log::warn("no memory for a connection"); // which is closed
    }
}

// Those clients have been let in by the kernel: nobody else would answer them.
void take_what_waits(door& door, connections& connections)
{
    for (int taken = 0; taken < longest_backlog; ++taken) {
        auto accepted = door.listener.try_accept();
        if (!accepted)
            return;
        take(door, connections, std::move(*accepted));
    }
}

} // namespace

door::door(const listener_options& options, http::service service)
    : kind(options.kind), listener(open(options)), service(std::move(service))
{
    if (options.tls)
        this->service.tls = &tls.emplace(*options.tls);
}

// Clients that come without a pause neither keep the worker from others nor the scope's end from being seen.
void accept_all(door& door, connections& connections)
{
    for (int taken = 1; auto accepted = door.listener.accept(); ++taken) {
        take(door, connections, std::move(*accepted));
        if (taken % batch == 0) {
            fiber::yield();
            if (fiber::scope::current()->is_cancelled())
                break;
        }
    }
    if (!door.listener.is_inherited()) // what waits at another's socket is for the process that follows
        take_what_waits(door, connections);
    door.listener.close();
}

} // namespace heddle::http
