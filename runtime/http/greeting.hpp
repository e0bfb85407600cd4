// A TLS connection's hand-shake: as far as it goes without waiting, so that a client which is slow with it
// costs no fiber.
#pragma once

namespace heddle::http {

struct connection;

enum class greeting
{
    done,
    waits, // for the client: rest, and go on when something has come
    failed,
};

// `c` is the caller's. Parks only while the client does not take what is sent to it, within header_time of
// when it came.
greeting greet(connection& c);

} // namespace heddle::http
