// How many files and connections the process may have open.
#pragma once

#include <cstdint>

namespace app {

// Raises the soft limit to the hard one: the soft one is kept low for programs that use select(), which this
// is not. Warns where even that is less than `wanted`.
void allow_descriptors(std::int64_t wanted);

} // namespace app
