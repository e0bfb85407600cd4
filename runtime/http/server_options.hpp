// What must hold of a server's options.
#pragma once

#include <heddle/http/server.hpp>

namespace heddle::http {

// Throws: config_error, which names every option that is wrong.
server_options checked(server_options o);

} // namespace heddle::http
