// `heddle migrate`: makes or changes the tables, without serving.
#pragma once

#include "settings.hpp"

namespace app {

// Prints what it does, or with `only_look` what it would do. Returns the exit code.
// Throws: config_error if the tables are not ours; what the database says.
int migrate(const settings& with, bool only_look);

} // namespace app
