// How a test program reaches the services that with_postgres.py has started for it.
#pragma once

#include <heddle/fiber/offload.hpp>
#include <heddle/fiber/runtime.hpp>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace services {

inline std::string setting(const char* name)
{
    const char* value = std::getenv(name);
    if (!value)
        throw std::runtime_error(std::string(name) +
                                 " is not set: run this through services/with_postgres.py");
    return value;
}

inline std::string postgres()
{
    return setting("HEDDLE_TEST_POSTGRES");
}
inline std::string through_relay()
{
    return setting("HEDDLE_TEST_RELAY");
}

// Blocks until the command is obeyed, and returns its answer.
inline std::string ask_blocking(const std::string& command)
{
    const auto path = setting("HEDDLE_TEST_SERVICES");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto line = command + "\n";
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::write(fd, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        throw std::runtime_error("the services cannot be reached");
    std::string answer;
    for (char c = 0; ::read(fd, &c, 1) == 1 && c != '\n';)
        answer += c;
    ::close(fd);
    if (answer.rfind("failed", 0) == 0)
        throw std::runtime_error(command + ": " + answer);
    return answer;
}

// Commands: stop [gently], start, restart-after MS, sql TEXT (of psql, past the relay), standby (makes and
// starts one that follows; answers "DIRECTORY PORT"), promote, and for the relay: relay-to-standby (new
// connections), mode forward|swallow, delay MS, cut, cut-after TEXT, cut-before TEXT, last-words [SEVERITY
// SQLSTATE] (said by cut-after), accepted, turns. Parks, on a fiber.
inline std::string ask(const std::string& command)
{
    if (!heddle::fiber::inside_runtime())
        return ask_blocking(command);
    return heddle::fiber::offload([&] { return ask_blocking(command); });
}

} // namespace services
