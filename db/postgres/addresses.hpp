// Where the hosts of a connection string are. libpq would look them up itself, and block for it.
#pragma once

#include "postgres/helpers.hpp"

namespace heddle::db::pg {

struct connect_parameters;

// Gives each host name its addresses ("hostaddr"). The name stays beside: certificates and passwords go by
// it. A name with several addresses becomes several hosts, tried in that order. Parks: for as long as the
// scope allows. Throws: error(unavailable) if none of the names has an address; deadline_exceeded, cancelled.
void add_addresses(connect_parameters& parameters, helpers& look_ups);

} // namespace heddle::db::pg
