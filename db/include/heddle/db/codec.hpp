// How a C++ type becomes a parameter and is read from a column. Specialise codec<T> for a type of your own.
//
//   static constexpr const char* wanted = "an integer"; // for messages
//   static value encode(const T& from);                 // may look at `from`; throws error(kind::value)
//   static bool decode(const value& from, T& to);       // false: `from` is no T
#pragma once

#include <heddle/db/error.hpp>
#include <heddle/db/value.hpp>

#include <chrono>
#include <cmath>
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

// An integer, or a decimal that is one: "12.00" is, as PostgreSQL's sum(bigint) would have it.
std::optional<std::int64_t> whole_number(const value& from) noexcept;

// The double next to a decimal.
double nearest_double(std::string_view digits) noexcept;

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
        const std::optional<std::int64_t> whole = whole_number(from);
        if (!whole || !std::in_range<T>(*whole))
            return false;
        return to = static_cast<T>(*whole), true;
    }
};

// A decimal, or a longer fraction, is rounded to the next T. An integer between two of them, and what is
// beyond the largest, is no T.
template <std::floating_point T>
struct codec<T>
{
    static constexpr const char* wanted = "a number that fits";
    static value encode(T from) { return value::real(static_cast<double>(from)); }
    static bool decode(const value& from, T& to)
    {
        if (from.type() == value_type::integer)
            return holds_exactly(from.as_integer(), to);
        if (from.type() == value_type::real)
            return holds(from.as_real(), to);
        if (from.type() != value_type::decimal)
            return false;
        const double nearest = nearest_double(from.as_text());
        return std::isfinite(nearest) && holds(nearest, to);
    }

private:
    static bool holds_exactly(std::int64_t from, T& to)
    {
        to = static_cast<T>(from);
        return static_cast<long double>(to) == static_cast<long double>(from); // which has room for 64 bits
    }
    static bool holds(double from, T& to)
    {
        constexpr auto most = std::numeric_limits<T>::max();
        if (std::isfinite(from) && std::abs(from) > most)
            return false;
        to = static_cast<T>(from);
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
        if (from.type() != value_type::text && from.type() != value_type::decimal)
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

// Days and moments. In SQLite they are texts as RFC 3339 writes them, which sort by time; in PostgreSQL date,
// timestamptz (sys_time) and timestamp (local_time). A parameter is cut to microseconds. What a member of the
// type cannot hold - a text of another form, an offset missing or too much, a fraction of its unit,
// "infinity" - is no such value.
template <>
struct codec<std::chrono::sys_days>
{
    static constexpr const char* wanted = "a date";
    static value encode(std::chrono::sys_days from) { return value::date(from.time_since_epoch().count()); }
    static bool decode(const value& from, std::chrono::sys_days& to);
};

// Microseconds since 1970. `in_utc`: whether the text must say that it is, or must not.
std::optional<std::chrono::microseconds> read_moment(const value& from, bool in_utc) noexcept;

template <class Duration>
std::chrono::microseconds cut_to_microseconds(Duration since_epoch)
{
    const auto most = std::chrono::duration<double, std::micro>(std::chrono::microseconds::max());
    if (std::chrono::abs(std::chrono::duration<double, std::micro>(since_epoch)) >= most)
        throw error(heddle::kind::value, "a time is further from 1970 than 64 bits of microseconds");
    return std::chrono::floor<std::chrono::microseconds>(since_epoch);
}

template <class Duration>
bool fits_exactly(std::chrono::microseconds from, Duration& to)
{
    if (std::chrono::abs(std::chrono::duration<double>(from)) >=
        std::chrono::duration<double>(Duration::max()))
        return false;
    to = std::chrono::duration_cast<Duration>(from);
    return std::chrono::duration_cast<std::chrono::microseconds>(to) == from;
}

template <class Duration>
struct codec<std::chrono::sys_time<Duration>>
{
    static constexpr const char* wanted = "an instant";
    static value encode(std::chrono::sys_time<Duration> from)
    {
        return value::instant(cut_to_microseconds(from.time_since_epoch()).count());
    }
    static bool decode(const value& from, std::chrono::sys_time<Duration>& to)
    {
        const auto read = read_moment(from, true);
        Duration since_epoch{};
        return read && fits_exactly(*read, since_epoch) &&
               (to = std::chrono::sys_time<Duration>(since_epoch), true);
    }
};

template <class Duration>
struct codec<std::chrono::local_time<Duration>>
{
    static constexpr const char* wanted = "a time without a zone";
    static value encode(std::chrono::local_time<Duration> from)
    {
        return value::moment(cut_to_microseconds(from.time_since_epoch()).count());
    }
    static bool decode(const value& from, std::chrono::local_time<Duration>& to)
    {
        const auto read = read_moment(from, false);
        Duration since_epoch{};
        return read && fits_exactly(*read, since_epoch) &&
               (to = std::chrono::local_time<Duration>(since_epoch), true);
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
