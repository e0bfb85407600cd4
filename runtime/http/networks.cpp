#include <heddle/http/networks.hpp>

#include <heddle/base/error.hpp>
#include <heddle/http/reply.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include <arpa/inet.h>

namespace heddle::http {

namespace {

constexpr std::array<std::uint8_t, 12> v4_prefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr unsigned v4_prefix_bits = 96;
constexpr std::string_view unix_peer = "unix"; // as net::socket::peer() has it

bool same_prefix(const address& a, const address& b, unsigned bits) noexcept
{
    const std::size_t whole = bits / 8;
    if (!std::equal(a.bytes.begin(), a.bytes.begin() + static_cast<std::ptrdiff_t>(whole), b.bytes.begin()))
        return false;
    const auto mask = static_cast<std::uint8_t>(0xff00 >> bits % 8);
    return bits % 8 == 0 || ((a.bytes[whole] ^ b.bytes[whole]) & mask) == 0;
}

// Whether all behind the prefix is zero.
bool is_base(const address& a, unsigned bits) noexcept
{
    for (unsigned bit = bits; bit < 128; ++bit) {
        if (a.bytes[bit / 8] >> (7 - bit % 8) & 1)
            return false;
    }
    return true;
}

std::optional<unsigned> parse_bits(std::string_view text, unsigned most) noexcept
{
    unsigned bits = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), bits);
    if (failure != std::errc() || end != text.data() + text.size() || bits > most)
        return std::nullopt;
    return bits;
}

middleware admit(networks list, bool those_in_it)
{
    return [list = std::move(list), those_in_it](const request& req, const handler& next) {
        if (list.contains(req.client()) != those_in_it)
            return reply(problem(status::forbidden, "not from this address"));
        return next(req);
    };
}

} // namespace

bool address::is_v4() const noexcept
{
    return std::equal(v4_prefix.begin(), v4_prefix.end(), bytes.begin());
}

std::optional<address> parse_address(std::string_view text) noexcept
{
    char copy[INET6_ADDRSTRLEN + 1] = {};
    text = text.substr(0, text.find('%'));
    if (text.size() > INET6_ADDRSTRLEN || text.find('\0') != std::string_view::npos)
        return std::nullopt;
    text.copy(copy, text.size());
    address parsed;
    if (::inet_pton(AF_INET6, copy, parsed.bytes.data()) == 1)
        return parsed;
    std::copy(v4_prefix.begin(), v4_prefix.end(), parsed.bytes.begin());
    if (::inet_pton(AF_INET, copy, parsed.bytes.data() + v4_prefix.size()) == 1)
        return parsed;
    return std::nullopt;
}

networks::networks(const std::vector<std::string_view>& list)
{
    std::string wrong;
    for (const std::string_view one : list) {
        if (one == unix_peer) {
            has_unix_ = true;
            continue;
        }
        const std::size_t slash = one.find('/');
        const std::string_view written = one.substr(0, slash);
        const auto base = parse_address(written);
        const unsigned before = written.find(':') == std::string_view::npos ? v4_prefix_bits : 0;
        const auto bits = slash == std::string_view::npos ? std::optional(128 - before)
                                                          : parse_bits(one.substr(slash + 1), 128 - before);
        if (base && bits && is_base(*base, *bits + before) && written.find('%') == std::string_view::npos)
            all_.push_back({*base, *bits + before});
        else
            wrong.append(wrong.empty() ? "" : ", ").append("'").append(one).append("'");
    }
    if (!wrong.empty())
        throw config_error("networks: no address or network, or one with bits set behind its prefix: " +
                           wrong);
}

bool networks::contains(const address& a) const noexcept
{
    return std::any_of(all_.begin(), all_.end(), [&](const network& one) {
        const bool one_is_v4 = one.base.is_v4() && one.bits >= v4_prefix_bits;
        return one_is_v4 == a.is_v4() && same_prefix(a, one.base, one.bits);
    });
}

bool networks::contains(std::string_view text) const noexcept
{
    const auto parsed = parse_address(text);
    return parsed ? contains(*parsed) : has_unix_ && text == unix_peer;
}

middleware allow(networks inside)
{
    return admit(std::move(inside), true);
}

middleware deny(networks outside)
{
    return admit(std::move(outside), false);
}

} // namespace heddle::http
