// Where a streamed answer goes, piece by piece.
#pragma once

#include <string_view>

namespace heddle::http {

class sink
{
public:
    virtual ~sink() = default;

    // Sends `bytes`. The first write sends the head; from then on a failure can only cut the answer short.
    // Parks while the client does not read. Throws: cancelled, deadline_exceeded, or what broke the
    // connection.
    virtual void write(std::string_view bytes) = 0;
};

} // namespace heddle::http
