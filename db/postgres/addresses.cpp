// Looks up the hosts of a connection string on a helper thread, and writes their addresses beside them.
#include "postgres/addresses.hpp"

#include <heddle/db/error.hpp>
#include <heddle/fiber/scope.hpp>

#include "postgres/connecting.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netdb.h>

namespace heddle::db::pg {

namespace {

using list = std::vector<std::string>;

list split(const std::string& text)
{
    list parts{1};
    for (const char c : text)
        if (c == ',')
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

void append(std::string& text, const std::string& part, bool first)
{
    text += (first ? "" : ",") + part;
}

bool is_name(const std::string& host) noexcept
{
    in6_addr ignored{};
    const bool is_socket = host.empty() || host[0] == '/' || host[0] == '@';
    return !is_socket && ::inet_pton(AF_INET, host.c_str(), &ignored) != 1 &&
           ::inet_pton(AF_INET6, host.c_str(), &ignored) != 1;
}

// Blocks: for a helper thread.
list look_up(const std::string& host)
{
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0)
        return {};
    list addresses;
    for (const auto* one = found; one; one = one->ai_next) {
        char text[NI_MAXHOST];
        if (::getnameinfo(one->ai_addr, one->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0)
            addresses.emplace_back(text);
    }
    ::freeaddrinfo(found);
    return addresses;
}

// One list for each host; an empty one for a name that is not known.
std::vector<list> look_up_all(const list& hosts, helpers& look_ups)
{
    auto found = std::make_shared<std::vector<list>>(hosts.size()); // the job may outlive us
    const auto job = look_ups.start([found, hosts] {
        for (std::size_t i = 0; i < hosts.size(); ++i)
            (*found)[i] = is_name(hosts[i]) ? look_up(hosts[i]) : list{1};
        return true;
    });
    if (wait_for(*job) == job_outcome::unknown) {
        look_ups.withdraw(job); // while names cannot be had, those who still wait come first
        fiber::scope::check_current();
        throw cancelled(); // the runtime ends
    }
    return std::move(*found);
}

} // namespace

void add_addresses(connect_parameters& parameters, helpers& look_ups)
{
    const auto* given = parameters.find("host");
    if (!given || parameters.find("hostaddr"))
        return;
    const auto hosts = split(*given);
    bool any_name = false;
    for (const auto& host : hosts)
        any_name = any_name || is_name(host);
    if (!any_name)
        return;

    const auto addresses = look_up_all(hosts, look_ups);
    const auto* port = parameters.find("port");
    const auto ports = split(port ? *port : "");
    std::string all_hosts;
    std::string all_addresses;
    std::string all_ports;
    bool first = true;
    for (std::size_t i = 0; i < hosts.size(); ++i)
        for (const auto& address : addresses[i]) {
            append(all_hosts, hosts[i], first);
            append(all_ports, ports.size() > 1 && i < ports.size() ? ports[i] : ports[0], first);
            append(all_addresses, address, first);
            first = false;
        }
    if (first)
        throw error(kind::unavailable, "the database's host name has no address: " + *given);
    parameters.set("host", all_hosts);
    parameters.set("hostaddr", all_addresses);
    if (port)
        parameters.set("port", all_ports);
}

} // namespace heddle::db::pg
