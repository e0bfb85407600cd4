// The types that are read and sent in binary form, by the numbers they have in every PostgreSQL.
// Source: pg_type.dat.
#pragma once

#include <libpq-fe.h>

#include <string>
#include <string_view>

namespace heddle::db::pg::oid {

inline constexpr Oid boolean = 16;
inline constexpr Oid bytea = 17;
inline constexpr Oid name = 19;
inline constexpr Oid int8 = 20;
inline constexpr Oid int2 = 21;
inline constexpr Oid int4 = 23;
inline constexpr Oid text = 25;
inline constexpr Oid object = 26;
inline constexpr Oid json = 114;
inline constexpr Oid float4 = 700;
inline constexpr Oid float8 = 701;
inline constexpr Oid unknown = 705;
inline constexpr Oid bpchar = 1042;
inline constexpr Oid varchar = 1043;
inline constexpr Oid date = 1082;
inline constexpr Oid timestamp = 1114;
inline constexpr Oid timestamptz = 1184;
inline constexpr Oid numeric = 1700;
inline constexpr Oid void_ = 2278;
inline constexpr Oid uuid = 2950;
inline constexpr Oid jsonb = 3802;

// Types whose binary form is their text.
constexpr bool is_text(Oid type) noexcept
{
    return type == text || type == varchar || type == bpchar || type == name || type == json ||
           type == unknown;
}

// "smallint", "type 3904": for messages.
std::string name_of(Oid type);

} // namespace heddle::db::pg::oid
