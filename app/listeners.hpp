// Where the shipped server listens: what the settings say, and what the process was started with.
#pragma once

#include "settings.hpp"

#include <heddle/net/inherited.hpp>

#include <vector>

namespace app {

// Sockets that were inherited take the place of the settings' ones: those that are named "operations" of
// [operations], all others of [http]; TLS is spoken at those named "https".
// Throws: config_error, with all that is wrong.
heddle::http::listener_list listeners_of(const settings& with,
                                         const std::vector<heddle::net::inherited_socket>& inherited);

} // namespace app
