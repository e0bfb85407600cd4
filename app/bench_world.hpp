// The row that is measured most: its members are in the order and the spelling in which it is answered.
#pragma once

#include <boost/describe.hpp>

#include <cstdint>

namespace app {

struct world
{
    std::int32_t id;
    std::int32_t randomNumber; // 1 to 10 000
};
BOOST_DESCRIBE_STRUCT(world, (), (id, randomNumber))

// A number from 1 to 10 000: of a row, and for one.
std::int32_t random_number();

} // namespace app
