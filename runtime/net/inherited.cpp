#include <heddle/net/inherited.hpp>

#include <heddle/base/error.hpp>

#include "net/environment.hpp"

#include <algorithm>
#include <string_view>

#include <unistd.h>

namespace heddle::net {

namespace {

constexpr int first_descriptor = 3; // SD_LISTEN_FDS_START
constexpr long most_descriptors = 1024;

// The part of "a:b:c" up to the first colon, which it loses.
std::string next_name(std::string_view& names)
{
    const auto end = std::min(names.find(':'), names.size());
    std::string name(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
    return name;
}

} // namespace

std::vector<inherited_socket> inherited_sockets()
{
    const auto pid = taken_from_environment("LISTEN_PID");
    const auto count = taken_from_environment("LISTEN_FDS");
    const auto all_names = taken_from_environment("LISTEN_FDNAMES");
    taken_from_environment("LISTEN_PIDFDID");
    if (!pid || !count || number_of("LISTEN_PID", *pid) != ::getpid())
        return {};
    const auto wanted = number_of("LISTEN_FDS", *count);
    if (wanted > most_descriptors)
        throw config_error("LISTEN_FDS: " + *count + " are too many");
    std::string_view names = all_names ? *all_names : std::string_view();
    std::vector<inherited_socket> sockets;
    for (int i = 0; i < wanted; ++i)
        sockets.push_back({first_descriptor + i, next_name(names)});
    return sockets;
}

} // namespace heddle::net
