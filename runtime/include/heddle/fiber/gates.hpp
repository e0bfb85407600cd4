// The gates of one thing that is shared (a database, an upstream), by name: built once, and the same for
// everybody who asks, because a gate that is made for each request limits nothing.
#pragma once

#include <heddle/fiber/gate.hpp>

#include <deque>
#include <string_view>
#include <vector>

namespace heddle::fiber {

class gates
{
public:
    // Throws: config_error, also if two have the same name.
    explicit gates(std::vector<gate_options> options);

    // Throws: config_error if there is none of that name.
    gate& operator[](std::string_view name);

private:
    std::deque<gate> gates_; // a gate stays where it is
};

} // namespace heddle::fiber
