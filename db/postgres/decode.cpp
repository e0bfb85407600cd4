// The types that PostgreSQL sends, one by one, from bytes or from text.
#include "postgres/decode.hpp"

#include <heddle/db/error.hpp>

#include "postgres/big_endian.hpp"
#include "postgres/epoch.hpp"

#include <bit>
#include <charconv>
#include <cstdint>
#include <limits>
#include <span>
#include <system_error>

namespace heddle::db::pg {

namespace {

[[noreturn]] void refuse(Oid type, std::string_view bytes)
{
    throw error(kind::internal, "a column of type " + oid::name_of(type) + " came with " +
                                    std::to_string(bytes.size()) + " bytes that are none");
}

template <class T>
T number(Oid type, std::string_view bytes)
{
    if (bytes.size() != sizeof(T))
        refuse(type, bytes);
    return read_big_endian<T>(bytes.data());
}

template <class T>
T number_in(Oid type, std::string_view text)
{
    T n{};
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (failed != std::errc{} || end != text.data() + text.size())
        refuse(type, text);
    return n;
}

bool boolean_in(std::string_view text)
{
    if (text != "t" && text != "f")
        refuse(oid::boolean, text);
    return text == "t";
}

double real_in(Oid type, std::string_view text)
{
    if (text == "NaN")
        return std::numeric_limits<double>::quiet_NaN();
    if (text == "Infinity" || text == "-Infinity")
        return (text[0] == '-' ? -1 : 1) * std::numeric_limits<double>::infinity();
    if (type == oid::float4) // its digits name a float, not the double next to them
        return static_cast<double>(number_in<float>(type, text));
    return number_in<double>(type, text);
}

std::string_view uuid_text(std::string_view bytes, scratch& space)
{
    if (bytes.size() != 16)
        refuse(oid::uuid, bytes);
    static constexpr char digits[] = "0123456789abcdef";
    space.clear();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            space += '-';
        space += digits[static_cast<unsigned char>(bytes[i]) >> 4];
        space += digits[static_cast<unsigned char>(bytes[i]) & 15];
    }
    return space;
}

// -1: is none.
int digit(char c) noexcept
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// "\x0aff": bytea_output is hex.
value bytes_in(std::string_view text, scratch& space)
{
    if (!text.starts_with("\\x") || text.size() % 2 != 0)
        refuse(oid::bytea, text);
    space.clear();
    for (std::size_t i = 2; i < text.size(); i += 2) {
        const int high = digit(text[i]);
        const int low = digit(text[i + 1]);
        if (high < 0 || low < 0)
            refuse(oid::bytea, text);
        space += static_cast<char>(high << 4 | low);
    }
    return value::bytes(std::as_bytes(std::span(space)));
}

char* room_for_time(scratch& space)
{
    space.resize(longest_time);
    return space.data();
}

// The ends of the type's range are no days and no moments.
template <class T>
std::string_view infinity(T n) noexcept
{
    return n == std::numeric_limits<T>::max()   ? "infinity"
           : n == std::numeric_limits<T>::min() ? "-infinity"
                                                : "";
}

value date_of(std::int32_t days, scratch& space)
{
    const auto infinite = infinity(days);
    return value::text(infinite.empty() ? write_date(epoch_days + days, room_for_time(space)) : infinite);
}

value moment_of(std::int64_t microseconds, zone zone, scratch& space)
{
    const auto infinite = infinity(microseconds);
    return value::text(infinite.empty() ? write_moment(since_2000(microseconds), zone, room_for_time(space))
                                        : infinite);
}

value moment_in(std::string_view text, zone zone, scratch& space)
{
    const auto time = parse_moment(text);
    return value::text(time ? write_moment(time->at, zone, room_for_time(space)) : text);
}

} // namespace

std::string oid::name_of(Oid type)
{
    struct named
    {
        Oid type;
        const char* name;
    };
    static constexpr named all[] = {{boolean, "boolean"},
                                    {bytea, "bytea"},
                                    {int8, "bigint"},
                                    {int2, "smallint"},
                                    {int4, "integer"},
                                    {text, "text"},
                                    {object, "oid"},
                                    {json, "json"},
                                    {float4, "real"},
                                    {float8, "double precision"},
                                    {bpchar, "character"},
                                    {varchar, "character varying"},
                                    {date, "date"},
                                    {timestamp, "timestamp"},
                                    {timestamptz, "timestamp with time zone"},
                                    {numeric, "numeric"},
                                    {uuid, "uuid"},
                                    {jsonb, "jsonb"}};
    for (const auto& one : all)
        if (one.type == type)
            return one.name;
    return "number " + std::to_string(type) + " in pg_type";
}

bool is_known_in_binary(Oid type) noexcept
{
    switch (type) {
    case oid::boolean:
    case oid::bytea:
    case oid::int8:
    case oid::int2:
    case oid::int4:
    case oid::object:
    case oid::float4:
    case oid::float8:
    case oid::date:
    case oid::timestamp:
    case oid::timestamptz:
    case oid::void_:
    case oid::uuid:
    case oid::jsonb:
        return true;
    default:
        return oid::is_text(type);
    }
}

value decode_binary(Oid type, std::string_view bytes, scratch& space)
{
    switch (type) {
    case oid::boolean:
        return value::boolean(number<std::int8_t>(type, bytes) != 0);
    case oid::int2:
        return value::integer(number<std::int16_t>(type, bytes));
    case oid::int4:
        return value::integer(number<std::int32_t>(type, bytes));
    case oid::int8:
        return value::integer(number<std::int64_t>(type, bytes));
    case oid::object:
        return value::integer(number<std::uint32_t>(type, bytes));
    case oid::float4:
        return value::real(static_cast<double>(std::bit_cast<float>(number<std::uint32_t>(type, bytes))));
    case oid::float8:
        return value::real(std::bit_cast<double>(number<std::uint64_t>(type, bytes)));
    case oid::bytea:
        return value::bytes(std::as_bytes(std::span(bytes)));
    case oid::date:
        return date_of(number<std::int32_t>(type, bytes), space);
    case oid::timestamp:
        return moment_of(number<std::int64_t>(type, bytes), zone::none, space);
    case oid::timestamptz:
        return moment_of(number<std::int64_t>(type, bytes), zone::utc, space);
    case oid::uuid:
        return value::text(uuid_text(bytes, space));
    case oid::jsonb: // a version, then text
        if (bytes.empty() || bytes[0] != 1)
            refuse(type, bytes);
        return value::text(bytes.substr(1));
    default:
        return value::text(bytes);
    }
}

value decode_text(Oid type, std::string_view text, scratch& space)
{
    switch (type) {
    case oid::boolean:
        return value::boolean(boolean_in(text));
    case oid::int2:
    case oid::int4:
    case oid::int8:
    case oid::object:
        return value::integer(number_in<std::int64_t>(type, text));
    case oid::float4:
    case oid::float8:
        return value::real(real_in(type, text));
    case oid::bytea:
        return bytes_in(text, space);
    case oid::timestamp:
        return moment_in(text, zone::none, space);
    case oid::timestamptz:
        return moment_in(text, zone::utc, space);
    case oid::numeric:
        return text == "NaN" || text.ends_with("Infinity") ? value::text(text) : value::decimal(text);
    default:
        return value::text(text);
    }
}

} // namespace heddle::db::pg
