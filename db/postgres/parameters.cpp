// From each kind of value to each type it may be given as, with a look at its range.
#include "postgres/parameters.hpp"

#include <heddle/db/error.hpp>

#include "postgres/big_endian.hpp"
#include "postgres/epoch.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace heddle::db::pg {

namespace {

constexpr int as_text = 0;
constexpr int as_binary = 1;

std::string shortest(double x)
{
    if (std::isnan(x))
        return "NaN";
    if (std::isinf(x))
        return x < 0 ? "-Infinity" : "Infinity";
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

std::string shown(const value& from)
{
    switch (from.type()) {
    case value_type::boolean:
        return from.as_boolean() ? "true" : "false";
    case value_type::integer:
        return std::to_string(from.as_integer());
    case value_type::real:
        return shortest(from.as_real());
    default:
        return "of " + std::string(name_of(from.type()));
    }
}

std::string parameter(std::size_t index)
{
    return "the value of $" + std::to_string(index + 1);
}

[[noreturn]] void refuse_range(std::size_t index, const value& from, Oid type)
{
    throw error(kind::value,
                parameter(index) + ", " + shown(from) + ", does not fit into " + oid::name_of(type));
}

[[noreturn]] void refuse_type(std::size_t index, const value& from, Oid type)
{
    throw error(kind::internal,
                parameter(index) + ", " + shown(from) + ", cannot be given as " + oid::name_of(type));
}

bool is_whole(double x, double limit) noexcept // limit: 2 to the power of the type's bits without the sign
{
    return x >= -limit && x < limit && std::trunc(x) == x;
}

// Whether the type takes any number as its text: the server converts it exactly.
bool takes_digits(Oid type) noexcept
{
    return type == oid::numeric || oid::is_text(type) ||
           !(type == oid::boolean || type == oid::bytea || type == oid::date || type == oid::timestamp ||
             type == oid::timestamptz || type == oid::uuid);
}

} // namespace

void parameters::bind(std::span<const value> values, std::span<const Oid> types, std::string_view sql)
{
    if (values.size() != types.size())
        throw error(kind::internal, std::to_string(values.size()) + " values for " +
                                        std::to_string(types.size()) +
                                        " parameters in: " + std::string(sql.substr(0, 200)));
    values_.assign(values.size(), nullptr);
    lengths_.assign(values.size(), 0);
    formats_.assign(values.size(), as_text);
    numbers_.resize(values.size());
    texts_.clear();
    for (std::size_t i = 0; i < values.size(); ++i)
        bind_one({i, types[i]}, values[i]);
}

void parameters::bind_one(position at, const value& from)
{
    switch (from.type()) {
    case value_type::null:
        return;
    case value_type::boolean:
        return bind_boolean(at, from);
    case value_type::integer:
        return bind_integer(at, from);
    case value_type::real:
        return bind_real(at, from);
    case value_type::decimal:
    case value_type::text:
        return bind_text(at, from.as_text());
    case value_type::date:
    case value_type::moment:
    case value_type::instant:
        return bind_time(at, from);
    case value_type::bytes:
        return bind_bytes(at, from.as_bytes());
    }
}

void parameters::bind_boolean(position at, const value& from)
{
    if (at.type == oid::boolean)
        return set_number<std::uint8_t>(at, from.as_boolean() ? 1 : 0);
    if (!oid::is_text(at.type))
        refuse_type(at.index, from, at.type);
    set_text(at, from.as_boolean() ? "true" : "false");
}

void parameters::bind_integer(position at, const value& from)
{
    const auto n = from.as_integer();
    const auto require = [&](bool fits) {
        if (!fits)
            refuse_range(at.index, from, at.type);
    };
    switch (at.type) {
    case oid::int2:
        require(std::in_range<std::int16_t>(n));
        return set_number(at, static_cast<std::int16_t>(n));
    case oid::int4:
        require(std::in_range<std::int32_t>(n));
        return set_number(at, static_cast<std::int32_t>(n));
    case oid::int8:
        return set_number(at, n);
    case oid::object:
        require(std::in_range<std::uint32_t>(n));
        return set_number(at, static_cast<std::uint32_t>(n));
    case oid::float4: // 24 bits are exact
        require(n >= -(1 << 24) && n <= 1 << 24);
        return set_number(at, std::bit_cast<std::uint32_t>(static_cast<float>(n)));
    case oid::float8: // 53 bits are exact
        require(n >= -(std::int64_t{1} << 53) && n <= std::int64_t{1} << 53);
        return set_number(at, std::bit_cast<std::uint64_t>(static_cast<double>(n)));
    default:
        if (!takes_digits(at.type))
            refuse_type(at.index, from, at.type);
        set_text(at, std::to_string(n));
    }
}

void parameters::bind_real(position at, const value& from)
{
    const auto x = from.as_real();
    const auto require = [&](bool fits) {
        if (!fits)
            refuse_range(at.index, from, at.type);
    };
    switch (at.type) {
    case oid::int2:
        require(is_whole(x, 0x1p15));
        return set_number(at, static_cast<std::int16_t>(x));
    case oid::int4:
        require(is_whole(x, 0x1p31));
        return set_number(at, static_cast<std::int32_t>(x));
    case oid::int8:
        require(is_whole(x, 0x1p63));
        return set_number(at, static_cast<std::int64_t>(x));
    case oid::float4:
        require(!std::isfinite(x) || std::fabs(x) <= static_cast<double>(std::numeric_limits<float>::max()));
        return set_number(at, std::bit_cast<std::uint32_t>(static_cast<float>(x)));
    case oid::float8:
        return set_number(at, std::bit_cast<std::uint64_t>(x));
    default:
        if (!takes_digits(at.type))
            refuse_type(at.index, from, at.type);
        set_text(at, shortest(x));
    }
}

void parameters::bind_text(position at, std::string_view from)
{
    if (from.find('\0') != std::string_view::npos)
        throw error(kind::value,
                    parameter(at.index) + " has a NUL in it, which PostgreSQL's text cannot hold");
    if (oid::is_text(at.type))
        return set_binary(at, from.data(), from.size());
    set_text(at, std::string(from));
}

// A date is given as a date, a moment without a zone as a timestamp, an instant as a timestamptz: between
// them only the server's rules and its session's zone could decide, which is no business of a parameter's.
void parameters::bind_time(position at, const value& from)
{
    const std::int64_t n = from.as_count();
    const auto type = from.type();
    if (type == value_type::date && at.type == oid::date) {
        const std::int64_t days = n - epoch_days;
        if (!std::in_range<std::int32_t>(days))
            refuse_range(at.index, from, at.type);
        return set_number(at, static_cast<std::int32_t>(days));
    }
    if ((type == value_type::moment && at.type == oid::timestamp) ||
        (type == value_type::instant && at.type == oid::timestamptz)) {
        if (n < std::numeric_limits<std::int64_t>::min() + epoch_days * day_microseconds)
            refuse_range(at.index, from, at.type);
        return set_number(at, n - epoch_days * day_microseconds);
    }
    refuse_type(at.index, from, at.type);
}

void parameters::bind_bytes(position at, std::span<const std::byte> from)
{
    if (at.type != oid::bytea && !(at.type == oid::uuid && from.size() == 16))
        refuse_type(at.index, value::bytes(from), at.type);
    set_binary(at, reinterpret_cast<const char*>(from.data()), from.size());
}

template <class T>
void parameters::set_number(position at, T number)
{
    auto& space = numbers_[at.index];
    write_big_endian(number, space.data());
    set_binary(at, space.data(), sizeof(T));
}

void parameters::set_binary(position at, const char* data, std::size_t size)
{
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
    if (size > most)
        throw error(kind::value, parameter(at.index) + " is too large");
    values_[at.index] = data ? data : ""; // a null pointer would be NULL
    lengths_[at.index] = static_cast<int>(size);
    formats_[at.index] = as_binary;
}

void parameters::set_text(position at, std::string text)
{
    values_[at.index] = texts_.emplace_back(std::move(text)).c_str();
}

} // namespace heddle::db::pg
