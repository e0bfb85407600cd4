// Where a message's body comes from, piece by piece.
#pragma once

#include <cstddef>
#include <span>

namespace heddle::http {

class body_source
{
public:
    virtual ~body_source() = default;

    // Reads at least one byte of it, at most `into.size()`, which is not 0. 0 is its end. Parks until there
    // is something. Throws: whatever keeps the rest from coming; then every further call does, too.
    virtual std::size_t read_some(std::span<char> into) = 0;
};

} // namespace heddle::http
