// Readiness of a socket that belongs to libpq. libpq may close its descriptor and open another one, perhaps
// under the same number, while a stranger gets the old number: so what is watched is a duplicate that nobody
// else closes.
#pragma once

#include "fiber/reactor.hpp"

namespace heddle::db::pg {

class socket_watch
{
public:
    // `reads_to_the_end`: before each wait to read, everything is read that there is.
    // Throws: std::system_error.
    explicit socket_watch(int fd, bool reads_to_the_end = false);
    ~socket_watch();
    socket_watch(const socket_watch&) = delete;
    socket_watch& operator=(const socket_watch&) = delete;

    // Parks: until it may be ready, or the scope has ended.
    fiber::wake wait(fiber::direction which) { return fiber::wait_ready(descriptor_, which); }

    // Whether there is something to be read.
    bool has_data() const noexcept { return fiber::sys::has_data(descriptor_->fd); }

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
