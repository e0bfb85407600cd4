#include "listeners.hpp"

#include <heddle/base/error.hpp>

#include <algorithm>
#include <optional>
#include <string>

namespace app {

namespace http = heddle::http;
namespace net = heddle::net;

namespace {

constexpr const char* operations_name = "operations";
constexpr const char* tls_name = "https";

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

// All that is wrong, a line each.
class faults
{
public:
    void add(const std::string& fault) { all_ += (all_.empty() ? "" : "\n") + fault; }
    void raise() const
    {
        if (!all_.empty())
            throw heddle::config_error(all_);
    }

private:
    std::string all_;
};

void append(std::vector<net::endpoint>& to, const std::vector<std::string>& texts, const char* key,
            faults& wrong)
{
    for (const auto& text : texts) {
        try {
            to.push_back(net::parse_endpoint(text));
        } catch (const heddle::config_error& failure) {
            wrong.add(std::string(key) + ": " + failure.what());
        }
    }
}

net::tls_server_options tls_options(const tls_settings& with, faults& wrong)
{
    net::tls_server_options options = with.options;
    if (with.certificates.empty())
        wrong.add("http.tls_certificates: TLS needs one");
    if (with.certificates.size() != with.keys.size())
        wrong.add("http.tls_keys: there must be one for each of http.tls_certificates");
    else
        for (std::size_t i = 0; i != with.keys.size(); ++i)
            options.certificates.push_back({.chain = with.certificates[i], .key = with.keys[i]});
    using clients = net::tls_server_options::clients;
    if (options.client_certificates != clients::not_asked && options.client_authorities.empty())
        wrong.add("http.tls_client_authorities: needed where http.tls_clients may or must sign");
    return options;
}

} // namespace

http::listener_list listeners_of(const settings& with, const std::vector<net::inherited_socket>& inherited)
{
    using kind = http::listener_kind;
    std::vector<net::endpoint> plain{endpoint_of(with.clients)};
    std::vector<net::endpoint> secure;
    faults wrong;
    append(plain, with.also_listen, "http.also_listen", wrong);
    append(secure, with.tls.listen, "http.tls_listen", wrong);
    const auto is_secure = [](const net::inherited_socket& socket) { return socket.name == tls_name; };
    std::optional<net::tls_server_options> tls;
    if (!secure.empty() || std::any_of(inherited.begin(), inherited.end(), is_secure))
        tls = tls_options(with.tls, wrong);
    wrong.raise();

    http::listener_list listeners{};
    for (const auto& socket : inherited)
        listeners.all.push_back({.kind = socket.name == operations_name ? kind::operations : kind::clients,
                                 .descriptor = socket.descriptor,
                                 .tls = is_secure(socket) ? tls : std::nullopt});
    const auto is_given = [&](kind which) {
        return std::any_of(listeners.all.begin(), listeners.all.end(),
                           [&](const auto& each) { return each.kind == which; });
    };
    const auto add = [&](kind which, const net::endpoint& at, const auto& tls) {
        listeners.all.push_back({.at = at, .kind = which, .unix_mode = with.unix_mode, .tls = tls});
    };
    if (!is_given(kind::clients)) {
        for (const auto& at : plain)
            add(kind::clients, at, std::nullopt);
        for (const auto& at : secure)
            add(kind::clients, at, tls);
    }
    if (!is_given(kind::operations) && (with.operations.port != 0 || is_unix(with.operations.address)))
        add(kind::operations, endpoint_of(with.operations), std::nullopt);
    return listeners;
}

} // namespace app
