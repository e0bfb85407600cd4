// What stands behind the connections of the pool's tests: nothing.
#pragma once

namespace heddle::testing {

struct place
{
};

class backend
{
public:
    explicit backend(place&) {}
    void use() {}
    bool is_alive() { return true; }
    void interrupt() noexcept {}
    void close() {}
};

} // namespace heddle::testing
