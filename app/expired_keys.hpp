// Deletes idempotency keys that have expired, beside the requests.
#pragma once

#include "ticker.hpp"

#include <heddle/db/lane.hpp>

namespace app {

// Once a minute until `ticks` are stopped, in small transactions one after the other. What fails is tried
// again a minute later, and logged once for each outage. Parks: until then. Throws: cancelled.
void delete_expired_keys(heddle::db::lane& lane, ticker& ticks);

} // namespace app
