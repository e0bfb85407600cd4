// Networks as "10.0.0.0/8" and "2001:db8::/32", and who may come in from where.
#pragma once

#include <heddle/http/words.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace heddle::http {

// An IPv6 address; an IPv4 one as "::ffff:192.0.2.7" would be, and whether written so or not they are the
// same.
struct address
{
    std::array<std::uint8_t, 16> bytes{};

    bool is_v4() const noexcept;
    friend bool operator==(const address&, const address&) = default;
};

// Without port and brackets; a zone ("%eth0") is left out. Nothing if it is none.
std::optional<address> parse_address(std::string_view text) noexcept;

class networks
{
public:
    networks() = default;
    // Each an address, a network as ADDRESS/BITS, or "unix": those who come by a unix-domain socket.
    // Throws: config_error, which names each that is none, or has bits set behind its prefix.
    networks(std::initializer_list<std::string_view> list) : networks(std::vector<std::string_view>(list)) {}
    explicit networks(const std::vector<std::string_view>& list);

    // "::/0" has no IPv4 addresses in it, as "0.0.0.0/0" has no others.
    bool contains(const address& a) const noexcept;
    // False for what is no address, but "unix" if that is in the list.
    bool contains(std::string_view address) const noexcept;

private:
    struct network
    {
        address base;
        unsigned bits; // of all 128
    };

    std::vector<network> all_;
    bool has_unix_ = false;
};

// Answer 403 to clients (request::client()) outside of `inside`, or in `outside`. A client without an address
// is in no network. Behind a proxy that all come through, these go inside of forwarded().
middleware allow(networks inside);
middleware deny(networks outside);

} // namespace heddle::http
