// Readiness of a socket that belongs to libpq. libpq may close its descriptor and open another one, perhaps
// under the same number, while a stranger gets the old number: so what is watched is a duplicate that nobody
// else closes.
#pragma once

#include "fiber/reactor.hpp"

namespace heddle::db::pg {

class socket_watch
{
public:
    // Throws: std::system_error.
    explicit socket_watch(int fd);
    ~socket_watch();
    socket_watch(const socket_watch&) = delete;
    socket_watch& operator=(const socket_watch&) = delete;

    // Parks: until it may be ready, or the scope has ended.
    fiber::wake wait(fiber::direction which) { return fiber::wait_ready(descriptor_, which); }

    // Makes the wait that goes on, or the next one, return as if the socket were readable.
    // Threads: any.
    void disturb() noexcept;

    // Parks: until the peer has closed its end, or the scope has ended: false. What still comes is thrown
    // away.
    bool wait_for_end();

private:
    fiber::descriptor* descriptor_;
};

} // namespace heddle::db::pg
