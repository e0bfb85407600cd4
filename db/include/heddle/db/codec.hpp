// How a C++ type becomes a parameter and is read from a column. Specialise codec<T> for a type of your own.
//
//   static constexpr const char* wanted = "an integer";        // for messages
//   static value encode(const T& from);                        // may look at `from`; throws
//   error(kind::value) static bool decode(const value& from, T& to);              // false: `from` is no T
#pragma once

#include <heddle/db/error.hpp>
#include <heddle/db/value.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::db {

template <class T>
struct codec;

// A type that one column can hold.
template <class T>
concept column_type = requires(const value& from, T& to)
{
    {
        codec<T>::decode(from, to)
        } -> std::same_as<bool>;
};

// A type that can be given as a parameter.
template <class T>
concept parameter_type = requires(const T& from)
{
    {
        codec<T>::encode(from)
        } -> std::same_as<value>;
};

template <>
struct codec<bool>
{
    static constexpr const char* wanted = "a boolean";
    static value encode(bool from) { return value::boolean(from); }
    static bool decode(const value& from, bool& to)
    {
        if (from.type() == value_type::boolean)
            return to = from.as_boolean(), true;
        // SQLite has no booleans: it keeps 0 and 1.
        if (from.type() != value_type::integer || (from.as_integer() != 0 && from.as_integer() != 1))
            return false;
        return to = from.as_integer() == 1, true;
    }
};

template <std::integral T>
struct codec<T>
{
    static constexpr const char* wanted = std::is_signed_v<T> ? sizeof(T) == 8   ? "an integer of 64 bits"
                                                                : sizeof(T) == 4 ? "an integer of 32 bits"
                                                                                 : "a small integer"
                                                              : "a natural number that fits";
    static value encode(T from)
    {
        if (!std::in_range<std::int64_t>(from))
            throw error(heddle::kind::value,
                        std::to_string(from) + " does not fit into an integer of 64 bits");
        return value::integer(static_cast<std::int64_t>(from));
    }
    static bool decode(const value& from, T& to)
    {
        if (from.type() != value_type::integer || !std::in_range<T>(from.as_integer()))
            return false;
        return to = static_cast<T>(from.as_integer()), true;
    }
};

template <std::floating_point T>
struct codec<T>
{
    static constexpr const char* wanted = "a number";
    static value encode(T from) { return value::real(static_cast<double>(from)); }
    static bool decode(const value& from, T& to)
    {
        if (from.type() == value_type::integer)
            to = static_cast<T>(from.as_integer());
        else if (from.type() == value_type::real)
            to = static_cast<T>(from.as_real());
        else
            return false;
        return true;
    }
};

template <>
struct codec<std::string>
{
    static constexpr const char* wanted = "text";
    static value encode(std::string_view from) { return value::text(from); }
    static bool decode(const value& from, std::string& to)
    {
        if (from.type() != value_type::text)
            return false;
        to.assign(from.as_text());
        return true;
    }
};

// Parameters only: what is read must own its text.
template <>
struct codec<std::string_view>
{
    static value encode(std::string_view from) { return value::text(from); }
};

template <>
struct codec<const char*>
{
    static value encode(const char* from) { return value::text(from); }
};

template <std::size_t N>
struct codec<char[N]> // a literal, as far as its first NUL
{
    static value encode(const char* from) { return value::text(from); }
};

template <>
struct codec<std::vector<std::byte>>
{
    static constexpr const char* wanted = "bytes";
    static value encode(const std::vector<std::byte>& from) { return value::bytes(from); }
    static bool decode(const value& from, std::vector<std::byte>& to)
    {
        if (from.type() != value_type::bytes)
            return false;
        to.assign(from.as_bytes().begin(), from.as_bytes().end());
        return true;
    }
};

template <>
struct codec<std::nullopt_t>
{
    static value encode(std::nullopt_t) { return value::null(); }
};

// NULL is an empty optional, and only that.
template <class T>
struct codec<std::optional<T>>
{
    static constexpr const char* wanted = codec<T>::wanted;
    static value encode(const std::optional<T>& from)
    {
        return from ? codec<T>::encode(*from) : value::null();
    }
    static bool decode(const value& from, std::optional<T>& to)
    {
        if (from.is_null())
            return to.reset(), true;
        return codec<T>::decode(from, to.emplace());
    }
};

} // namespace heddle::db
