// Listening sockets that whoever started this process has opened for it, so that no client is refused while
// one process follows another: systemd's socket activation.
#pragma once

#include <string>
#include <vector>

namespace heddle::net {

struct inherited_socket
{
    int descriptor = -1;
    std::string name; // FileDescriptorName= of the socket unit; without one the unit's own name
};

// Takes LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES out of the environment, so that no child believes it is
// meant. Nothing without them, or if another process is meant. Whether a descriptor is a listening socket at
// all is found out by net::listener.
// Throws: config_error: they are no numbers, or name more descriptors than a process can have.
// Threads: while there is only one, as it changes the environment.
// Source: sd_listen_fds(3).
std::vector<inherited_socket> inherited_sockets();

} // namespace heddle::net
