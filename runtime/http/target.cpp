#include "http/target.hpp"

#include "http/token.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include <arpa/inet.h>

namespace heddle::http {
namespace {

constexpr auto target_bytes = [] {
    std::array<bool, 256> allowed{};
    for (std::size_t c = 0x21; c != 0x7f; ++c)
        allowed[c] = c != '#' && c != '\\';
    return allowed;
}();

// The length of "http://" or "https://" at the beginning of `target`; 0 if there is none.
std::size_t scheme_size(std::string_view target) noexcept
{
    if (target.starts_with('/'))
        return 0;
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (same_name(target.substr(0, scheme.size()), scheme))
            return scheme.size();
    }
    return 0;
}

// An IPv4 address is one, too.
bool is_registered_name(std::string_view name) noexcept
{
    for (std::size_t i = 0; i != name.size(); ++i) {
        if (name[i] == '%') {
            if (name.size() - i < 3 || hex_value(name[i + 1]) < 0 || hex_value(name[i + 2]) < 0)
                return false;
            i += 2;
        } else if (!is_alphanumeric(name[i]) &&
                   std::string_view("-._~!$&'()*+,;=").find(name[i]) == std::string_view::npos) {
            return false;
        }
    }
    return !name.empty();
}

bool is_ipv6_address(std::string_view text) noexcept
{
    char terminated[INET6_ADDRSTRLEN] = {};
    in6_addr address;
    if (text.size() >= sizeof terminated)
        return false;
    text.copy(terminated, text.size());
    return inet_pton(AF_INET6, terminated, &address) == 1;
}

// Nothing, or a colon and what may be no digit at all.
bool is_port(std::string_view text) noexcept
{
    if (text.empty() || text == ":")
        return true;
    std::uint16_t port = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data() + 1, end, port);
    return text.front() == ':' && failure == std::errc() && stop == end;
}

} // namespace

bool is_target_text(std::string_view text) noexcept
{
    return !text.empty() && std::all_of(text.begin(), text.end(),
                                        [](char c) { return target_bytes[static_cast<unsigned char>(c)]; });
}

std::size_t path_start(std::string_view target) noexcept
{
    const std::size_t scheme = scheme_size(target);
    return scheme == 0 ? 0 : std::min(target.find_first_of("/?", scheme), target.size());
}

std::string_view authority_of(std::string_view target) noexcept
{
    const std::size_t scheme = scheme_size(target);
    return target.substr(scheme, path_start(target) - scheme);
}

bool is_authority(std::string_view text) noexcept
{
    if (text.starts_with('[')) {
        const std::size_t bracket = text.find(']');
        return bracket != std::string_view::npos && is_ipv6_address(text.substr(1, bracket - 1)) &&
               is_port(text.substr(bracket + 1));
    }
    const std::size_t colon = std::min(text.find(':'), text.size());
    return is_registered_name(text.substr(0, colon)) && is_port(text.substr(colon));
}

} // namespace heddle::http
