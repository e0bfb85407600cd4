#include "listeners.hpp"

#include <heddle/base/error.hpp>

#include <algorithm>
#include <string>

namespace app {

namespace http = heddle::http;
namespace net = heddle::net;

namespace {

constexpr const char* operations_name = "operations";

bool is_unix(const std::string& address)
{
    return address.starts_with("unix:");
}

net::endpoint endpoint_of(const address_settings& a)
{
    if (is_unix(a.address))
        return net::parse_endpoint(a.address);
    return {.host = a.address, .port = a.port};
}

std::vector<net::endpoint> for_clients(const settings& with)
{
    std::vector<net::endpoint> all{endpoint_of(with.clients)};
    std::string faults;
    for (const auto& text : with.also_listen) {
        try {
            all.push_back(net::parse_endpoint(text));
        } catch (const heddle::config_error& failure) {
            faults += std::string(faults.empty() ? "" : "\n") + "http.also_listen: " + failure.what();
        }
    }
    if (!faults.empty())
        throw heddle::config_error(faults);
    return all;
}

} // namespace

http::listener_list listeners_of(const settings& with, const std::vector<net::inherited_socket>& inherited)
{
    using kind = http::listener_kind;
    http::listener_list listeners{};
    const auto add = [&](kind which, const net::endpoint& at) {
        listeners.all.push_back({.at = at, .kind = which, .unix_mode = with.unix_mode});
    };
    for (const auto& socket : inherited)
        listeners.all.push_back({.kind = socket.name == operations_name ? kind::operations : kind::clients,
                                 .descriptor = socket.descriptor});
    const auto is_given = [&](kind which) {
        return std::any_of(listeners.all.begin(), listeners.all.end(),
                           [&](const auto& each) { return each.kind == which; });
    };
    if (!is_given(kind::clients))
        for (const auto& at : for_clients(with))
            add(kind::clients, at);
    if (!is_given(kind::operations) && (with.operations.port != 0 || is_unix(with.operations.address)))
        add(kind::operations, endpoint_of(with.operations));
    return listeners;
}

} // namespace app
