// The shipped server.
#pragma once

#include "settings.hpp"

namespace app {

// Builds the parts, serves until SIGTERM, and ends when the last request is answered.
// Returns: the exit code. Throws: config_error, std::system_error.
int serve(const settings& with);

} // namespace app
