// Columns as a hostile or broken server may send them: every value lies where it may lie, is what its bytes
// say, and comes out of PostgreSQL's two formats the same.
#include <heddle/db/error.hpp>

#include "postgres/big_endian.hpp"
#include "postgres/decode.hpp"
#include "time_text.hpp"

#include "require.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace db = heddle::db;
namespace pg = heddle::db::pg;

namespace {

constexpr Oid types[] = {pg::oid::boolean,     pg::oid::bytea,
                         pg::oid::name,        pg::oid::int8,
                         pg::oid::int2,        pg::oid::int4,
                         pg::oid::text,        pg::oid::object,
                         pg::oid::json,        pg::oid::float4,
                         pg::oid::float8,      pg::oid::unknown,
                         pg::oid::bpchar,      pg::oid::varchar,
                         pg::oid::date,        pg::oid::timestamp,
                         pg::oid::timestamptz, pg::oid::numeric,
                         pg::oid::void_,       pg::oid::uuid,
                         pg::oid::jsonb,       600};

using decoder = db::value (*)(Oid, std::string_view, pg::scratch&);

// A copy of the value, as text; nothing if it was refused.
std::optional<std::string> copy(decoder decode, Oid type, std::string_view bytes)
{
    pg::scratch space;
    try {
        const db::value value = decode(type, bytes, space);
        switch (value.type()) {
        case db::value_type::boolean:
            return value.as_boolean() ? "t" : "f";
        case db::value_type::integer:
            return std::to_string(value.as_integer());
        case db::value_type::real:
            return std::isnan(value.as_real()) ? "NaN" : std::to_string(value.as_real());
        case db::value_type::bytes: {
            const auto all = value.as_bytes();
            return std::string(reinterpret_cast<const char*>(all.data()), all.size());
        }
        default:
            return std::string(value.as_text());
        }
    } catch (const heddle::error&) {
        return std::nullopt;
    }
}

std::string hex(std::string_view bytes)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string text = "\\x";
    for (const char c : bytes) {
        text += digits[static_cast<unsigned char>(c) >> 4];
        text += digits[static_cast<unsigned char>(c) & 15];
    }
    return text;
}

bool is_whole_number(Oid type)
{
    return type == pg::oid::int2 || type == pg::oid::int4 || type == pg::oid::int8 || type == pg::oid::object;
}

void check_binary(Oid type, std::string_view bytes, const std::optional<std::string>& got)
{
    if (is_whole_number(type) && got)
        require(copy(pg::decode_text, type, *got) == got);
    if (type == pg::oid::bytea)
        require(got == bytes && copy(pg::decode_text, type, hex(bytes)) == got);
    if (type == pg::oid::date && got && got->size() == 10) {
        const auto days = db::parse_date(*got);
        require(days && *days - 10'957 == pg::read_big_endian<std::int32_t>(bytes.data()));
    }
    if ((type == pg::oid::timestamp || type == pg::oid::timestamptz) && got)
        require(copy(pg::decode_text, type, *got) == got); // our text is one of PostgreSQL's
    if (type == pg::oid::uuid)
        require(got.has_value() == (bytes.size() == 16) && (!got || got->size() == 36));
}

void check_text(Oid type, std::string_view text, const std::optional<std::string>& got)
{
    if (type == pg::oid::bytea && got)
        require(hex(*got).size() == text.size() && copy(pg::decode_binary, type, *got) == got &&
                text.find_first_not_of("0123456789abcdefABCDEF", 2) == text.npos);
    if (type == pg::oid::boolean)
        require(got.has_value() == (text == "t" || text == "f"));
    if (type == pg::oid::timestamp && got)
        require(copy(pg::decode_text, type, *got) == got);
}

} // namespace

// The first byte: the type. The rest is the column.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0)
        return 0;
    const Oid type = types[data[0] % std::size(types)];
    const std::string bytes(text_of(data + 1, size - 1)); // of its own, so that one byte beyond is seen
    if (pg::is_known_in_binary(type))
        check_binary(type, bytes, copy(pg::decode_binary, type, bytes));
    check_text(type, bytes, copy(pg::decode_text, type, bytes));
    return 0;
}
