// The server that is measured beside others.
#pragma once

namespace app {

// Serves /plaintext, /json, if $BENCH_SQLITE names a file /db-sqlite, and if $PGHOST is set what
// bench_postgres.hpp lists, on 127.0.0.1:$BENCH_PORT until SIGTERM.
// Returns: the exit code. Throws: config_error.
int bench();

} // namespace app
