// The file of a listening unix-domain socket. It outlives a process that was killed, so a new one has to find
// out whether anybody still listens on it; and who ends must not remove another's.
#pragma once

#include "net/address.hpp"

#include <string>

#include <sys/types.h>

namespace heddle::net {

class socket_file
{
public:
    // Binds `fd` to `path`, with `mode`, and listens; takes the place of a file that nobody listens on.
    // Throws: std::system_error.
    socket_file(int fd, std::string path, unsigned mode, int backlog);
    ~socket_file(); // removes the file, unless there is another one meanwhile
    socket_file(const socket_file&) = delete;
    socket_file& operator=(const socket_file&) = delete;

private:
    std::string path_;
    dev_t device_ = 0;
    ino_t inode_ = 0; // not used again while our socket is bound to it
};

} // namespace heddle::net
