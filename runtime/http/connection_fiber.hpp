// What works on a connection while there is something to do.
#pragma once

namespace heddle::http {

struct connection;

// Starts working on a new connection; `c` is in the working state, and closes itself when it is over.
void start_connection(connection* c) noexcept;

} // namespace heddle::http
