// What was typed after `heddle`.
#pragma once

#include <heddle/base/config.hpp>

#include "settings.hpp"

#include <string>
#include <vector>

namespace app {

using arguments = std::vector<std::string>;

struct serve_request
{
    bool help = false;         // --help: show what can be set
    bool print_config = false; // --print-config: show what would be used
};

// Fills `keys` from the file of --config or HEDDLE_CONFIG,
// then the environment, then the flags: the later wins.
// Throws: config_error, with every fault of all three.
serve_request read_sources(heddle::configuration& keys, const arguments& flags,
                           const char* const* environment);

// The text of `heddle --help`, and of `heddle serve --help`.
std::string usage();
std::string serve_usage(const heddle::configuration& keys);

} // namespace app
