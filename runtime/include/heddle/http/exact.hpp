// Text to value, all of it or nothing: what path and query parameters go through.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace heddle::http {

// The whole of `text` as a T: no sign '+', no space, no rounding of an integer, no infinity.
template <class T>
std::optional<T> exact(std::string_view text)
{
    if constexpr (std::same_as<T, std::string>) {
        return std::string(text);
    } else if constexpr (std::same_as<T, bool>) {
        if (text == "true")
            return true;
        return text == "false" ? std::optional<bool>(false) : std::nullopt;
    } else {
        static_assert(std::integral<T> || std::floating_point<T>, "no such parameter type");
        T value{};
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (failure != std::errc() || end != text.data() + text.size())
            return std::nullopt;
        if constexpr (std::floating_point<T>) {
            if (!std::isfinite(value))
                return std::nullopt;
        }
        return value;
    }
}

// What a T is called when the client is told that it sent none.
template <class T>
constexpr std::string_view name_of()
{
    if constexpr (std::same_as<T, bool>)
        return "true or false";
    else if constexpr (std::unsigned_integral<T>)
        return "an unsigned integer";
    else if constexpr (std::integral<T>)
        return "an integer";
    else
        return "a number";
}

// Throws bad_request for `prefix` + `name`: what is there is not `expected`.
[[noreturn]] void refuse_value(std::string_view prefix, std::string_view name, std::string_view expected);

template <class T>
T exact_or_bad_request(std::string_view text, std::string_view prefix, std::string_view name)
{
    if (auto value = exact<T>(text))
        return *std::move(value);
    refuse_value(prefix, name, name_of<T>());
}

} // namespace heddle::http
