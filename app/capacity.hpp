// `heddle capacity`, and the same check when the server starts: has PostgreSQL room for all that may connect?
#pragma once

#include "settings.hpp"

#include <heddle/db/lane.hpp>

namespace app {

// Prints the computation. Returns the exit code: 1 if there is no room and the settings say that this fails.
int capacity(const settings& with);

// At the start, over a lane of the server's own database: writes a warning to the log if there is no room.
// Throws: config_error, if the settings say that this fails.
void require_capacity(heddle::db::lane& reads, const settings& with);

} // namespace app
