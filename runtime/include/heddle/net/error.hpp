// How the network fails, for those who read and write streams.
#pragma once

#include <heddle/base/error.hpp>

#include <string>

namespace heddle::net {

// The connection is gone, could not be made, or its peer has stopped reading. What was sent may or may not
// have arrived.
class broken : public error
{
public:
    explicit broken(const std::string& what) : error(kind::upstream, what) {}
};

} // namespace heddle::net
