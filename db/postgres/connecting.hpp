// Opens a connection without blocking a worker: names are looked up by helpers, TLS and SCRAM compute on the
// runtime's helper threads, and the fiber waits in between.
#pragma once

#include "postgres/handles.hpp"
#include "postgres/helpers.hpp"

#include <string>
#include <vector>

namespace heddle::db::pg {

// What PQconnectStartParams takes. A keyword comes once.
struct connect_parameters
{
    std::vector<std::string> keywords;
    std::vector<std::string> values;

    const std::string* find(const std::string& keyword) const noexcept;
    void set(const std::string& keyword, std::string value);
    void set_default(const std::string& keyword, std::string value);
};

// Reads what psql takes: keywords and values, or a URI.
// Returns: nothing, and `wrong` says why, if it cannot be read.
connect_parameters parse(const std::string& connection, std::string& wrong);

// Parks: for as long as the scope allows.
// Throws: error(unavailable); deadline_exceeded, cancelled.
connection_handle connect(connect_parameters parameters, helpers& look_ups);

} // namespace heddle::db::pg
