// Numbers with units, both ways.
#include "base/config_value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace heddle::config_value {

namespace {

struct unit
{
    std::string_view name;
    std::int64_t size;
};

// Largest first: showing takes the first that divides.
constexpr std::array<unit, 6> times{{{"h", 3'600'000'000'000},
                                     {"min", 60'000'000'000},
                                     {"s", 1'000'000'000},
                                     {"ms", 1'000'000},
                                     {"us", 1'000},
                                     {"ns", 1}}};
constexpr std::array<unit, 4> sizes{{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}};

template <std::size_t N>
std::optional<std::int64_t> parse(std::string_view text, const std::array<unit, N>& units)
{
    std::int64_t count = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (failure != std::errc() || count < 0)
        return std::nullopt;
    const std::string_view name(end, static_cast<std::size_t>(text.data() + text.size() - end));
    for (const auto& unit : units)
        if (unit.name == name)
            return count > std::numeric_limits<std::int64_t>::max() / unit.size
                       ? std::nullopt
                       : std::optional(count * unit.size);
    return std::nullopt;
}

} // namespace

std::optional<std::int64_t> parse_integer(std::string_view text)
{
    std::int64_t n = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (failure != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return n;
}

std::optional<bool> parse_boolean(std::string_view text)
{
    if (text == "true")
        return true;
    if (text == "false")
        return false;
    return std::nullopt;
}

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text)
{
    if (const auto n = parse(text, times))
        return std::chrono::nanoseconds(*n);
    return std::nullopt;
}

std::optional<std::size_t> parse_bytes(std::string_view text)
{
    const auto plain = parse_integer(text);
    const auto n = plain ? plain : parse(text, sizes);
    if (!n || *n < 0)
        return std::nullopt;
    return static_cast<std::size_t>(*n);
}

std::string show_duration(std::chrono::nanoseconds d)
{
    if (d.count() == 0)
        return "0s";
    for (const auto& unit : times)
        if (d.count() % unit.size == 0)
            return std::to_string(d.count() / unit.size) + std::string(unit.name);
    return {}; // not reached: every count is a whole number of ns
}

std::string show_bytes(std::size_t n)
{
    for (const auto& unit : sizes)
        if (n != 0 && n % static_cast<std::size_t>(unit.size) == 0)
            return std::to_string(n / static_cast<std::size_t>(unit.size)) + std::string(unit.name);
    return "0B";
}

std::string show_list(const std::vector<std::string>& texts)
{
    std::string all;
    for (const auto& text : texts)
        all += (all.empty() ? "" : ", ") + quote(text);
    return '[' + all + ']';
}

std::vector<std::string> parse_list(std::string_view text)
{
    std::vector<std::string> all;
    while (!text.empty()) {
        const auto end = std::min(text.find(','), text.size());
        all.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return all;
}

std::string quote(std::string_view text)
{
    constexpr char hex[] = "0123456789ABCDEF";
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7F) {
            out += "\\u00";
            out += hex[byte >> 4];
            out += hex[byte & 15];
        } else {
            if (c == '"' || c == '\\')
                out += '\\';
            out += c;
        }
    }
    return out + '"';
}

} // namespace heddle::config_value
