#include <algorithm>
#include <heddle/http/forwarded.hpp>

#include <heddle/http/request.hpp>
#include <heddle/http/response.hpp>

#include "http/field_list.hpp"

#include <string>
#include <utility>
#include <vector>

namespace heddle::http {

namespace {

constexpr std::size_t most_hops = 32; // the rest is not read
constexpr std::size_t most_host_bytes = 255 + 6;

// What one proxy says of who came to it.
struct hop
{
    std::string client;
    std::string scheme;
    std::string host;
};

// All lines of that name are one list.
std::string all_lines(const request& req, std::string_view name)
{
    std::string all;
    req.for_each_header([&](field, std::string_view one, std::string_view value) {
        if (same_name(one, name))
            all.append(all.empty() ? "" : ",").append(value);
    });
    return all;
}

// The last ones, in their order. Read from the end, where our own proxies write: a quote that the client has
// left open stands before what they have added, and takes nothing of it away.
std::vector<std::string_view> last_elements(std::string_view list, bool has_quotes)
{
    std::vector<std::string_view> last;
    for (bool more = !list.empty(); more && last.size() < most_hops;) {
        std::size_t at = list.size();
        for (bool is_quoted = false; at > 0 && (is_quoted || list[at - 1] != ','); --at) {
            if (has_quotes && list[at - 1] == '"' && (at < 2 || list[at - 2] != '\\'))
                is_quoted = !is_quoted;
        }
        last.push_back(trimmed(list.substr(at)));
        more = at > 0;
        list = list.substr(0, more ? at - 1 : 0);
    }
    std::reverse(last.begin(), last.end());
    return last;
}

// Scheme and host have one entry for each hop, or a single one that was passed on.
std::string_view beside(const std::vector<std::string_view>& list, std::size_t at, std::size_t hops)
{
    if (list.empty())
        return {};
    return list.size() == hops ? list[at] : list.back();
}

std::vector<hop> x_forwarded(const request& req)
{
    const std::string clients = all_lines(req, "X-Forwarded-For");
    const std::string schemes = all_lines(req, "X-Forwarded-Proto");
    const std::string hosts = all_lines(req, "X-Forwarded-Host");
    const auto client_list = last_elements(clients, false);
    const auto scheme_list = last_elements(schemes, false);
    const auto host_list = last_elements(hosts, false);
    std::vector<hop> hops;
    for (std::size_t i = 0; i != client_list.size(); ++i)
        hops.push_back({std::string(client_list[i]), std::string(beside(scheme_list, i, client_list.size())),
                        std::string(beside(host_list, i, client_list.size()))});
    if (hops.empty() && (!scheme_list.empty() || !host_list.empty()))
        hops.push_back({{}, std::string(beside(scheme_list, 0, 0)), std::string(beside(host_list, 0, 0))});
    return hops;
}

// A token, or a quoted string without its quotes.
std::string value_of(std::string_view text)
{
    if (text.size() < 2 || text.front() != '"' || text.back() != '"')
        return std::string(text);
    std::string out;
    text = text.substr(1, text.size() - 2);
    for (std::size_t i = 0; i != text.size(); ++i) {
        if (text[i] == '\\' && i + 1 != text.size())
            ++i;
        out += text[i];
    }
    return out;
}

std::vector<hop> rfc_7239(const request& req)
{
    const std::string all = all_lines(req, "Forwarded");
    std::vector<hop> hops;
    for (std::string_view element : last_elements(all, true)) {
        hop& one = hops.emplace_back();
        while (!element.empty()) {
            std::string_view value = take_element(element, ';');
            const std::string_view name = take_element(value, '=');
            if (same_name(name, "for"))
                one.client = value_of(value);
            else if (same_name(name, "proto"))
                one.scheme = value_of(value);
            else if (same_name(name, "host"))
                one.host = value_of(value);
        }
    }
    return hops;
}

// "192.0.2.7", "192.0.2.7:4711", "2001:db8::1" or "[2001:db8::1]:4711": the address in it.
std::string_view without_port(std::string_view node) noexcept
{
    if (node.starts_with('['))
        return node.substr(1, std::min(node.find(']'), node.size()) - 1);
    const std::size_t colon = node.find(':');
    return colon == node.rfind(':') ? node.substr(0, colon) : node;
}

bool is_host(std::string_view host) noexcept
{
    if (host.empty() || host.size() > most_host_bytes)
        return false;
    for (const char c : host) {
        if (!is_alphanumeric(c) && std::string_view("-._~:[]").find(c) == std::string_view::npos)
            return false;
    }
    return true;
}

void believe(const request& req, const hop& said)
{
    for (const std::string_view known : {"http", "https"}) {
        if (same_name(said.scheme, known))
            req.set_scheme(known);
    }
    if (is_host(said.host))
        req.set_host(said.host);
}

void walk(const request& req, const std::vector<hop>& hops, const networks& trusted)
{
    std::size_t left = std::min(hops.size(), most_hops);
    for (auto one = hops.rbegin(); left > 0; ++one, --left) {
        const std::string_view node = without_port(one->client);
        believe(req, *one);
        if (!parse_address(node) ||
            node.find('%') != std::string_view::npos) // a zone is our own machine's business
            return;
        req.set_client(node);
        if (!trusted.contains(node))
            return;
    }
}

} // namespace

middleware forwarded(networks trusted, proxy_fields read)
{
    return [trusted = std::move(trusted), read](const request& req, const handler& next) {
        if (trusted.contains(req.client()))
            walk(req, read == proxy_fields::x_forwarded ? x_forwarded(req) : rfc_7239(req), trusted);
        return next(req);
    };
}

} // namespace heddle::http
