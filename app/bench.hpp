// The server that is measured beside others.
#pragma once

namespace app {

// Serves /plaintext, /json and, if $BENCH_SQLITE names a file,
// /db-sqlite on 127.0.0.1:$BENCH_PORT until SIGTERM.
// Returns: the exit code. Throws: config_error.
int bench();

} // namespace app
