#include "http/greeting.hpp"

#include "http/connection.hpp"
#include "http/date.hpp"
#include "http/tls_door.hpp"

#include <heddle/fiber/scope.hpp>

#include <exception>
#include <string>
#include <string_view>

namespace heddle::http {

namespace {

using progress = net::tls_stream::progress;

constexpr std::string_view first_lines = "HTTP/1.1 400 Bad Request\r\n"
                                         "Server: heddle\r\n";
constexpr std::string_view not_encrypted = "Connection: close\r\n"
                                           "Content-Type: text/plain\r\n"
                                           "Content-Length: 29\r\n\r\n"
                                           "This port speaks HTTPS only.\n";

progress step(connection& c)
{
    if (!c.tls)
        c.tls = std::make_unique<net::tls_stream>(c.socket, c.service->tls->context());
    const fiber::time_point until = c.half_since + c.service->state.options.header_time;
    for (;;) {
        const progress p = c.tls->try_handshake();
        if (p != progress::wants_write)
            return p;
        fiber::within(until - fiber::now(), [&] { c.socket.wait_writable(); });
    }
}

void answer_in_plain(net::socket& socket) noexcept
{
    try {
        std::string words(first_lines);
        append_date(words);
        words += not_encrypted;
        socket.try_write_some(words);
    } catch (const std::exception&) {
        // It has gone, or there is no memory: nobody to tell.
    }
}

} // namespace

greeting greet(connection& c)
{
    try {
        if (step(c) != progress::done)
            return greeting::waits;
        c.half_since = {};
        c.is_half = false;
        c.expires = 0;
        return greeting::done;
    } catch (const net::tls_error& failure) {
        if (failure.is_plain_http())
            answer_in_plain(c.socket);
    } catch (const std::exception&) {
        // The client has gone, or there is no memory for it.
    }
    return greeting::failed;
}

} // namespace heddle::http
