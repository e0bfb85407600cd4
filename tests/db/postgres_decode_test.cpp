// Columns as PostgreSQL writes them in text, without a server: what they say, and what is none of their type.
#include <heddle/db/error.hpp>

#include "postgres/decode.hpp"

#define BOOST_TEST_MODULE postgres_decode
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace pg = heddle::db::pg;

namespace {

void check_refused(Oid type, std::string_view text)
{
    pg::scratch space;
    BOOST_CHECK_THROW(pg::decode_text(type, text, space), heddle::error);
}

double real(Oid type, std::string_view text)
{
    pg::scratch space;
    return pg::decode_text(type, text, space).as_real();
}

bool boolean(std::string_view text)
{
    pg::scratch space;
    return pg::decode_text(pg::oid::boolean, text, space).as_boolean();
}

std::string bytes(std::string_view text)
{
    pg::scratch space;
    const auto all = pg::decode_text(pg::oid::bytea, text, space).as_bytes();
    return {reinterpret_cast<const char*>(all.data()), all.size()};
}

} // namespace

BOOST_AUTO_TEST_CASE(a_boolean_is_t_or_f)
{
    BOOST_CHECK(boolean("t"));
    BOOST_CHECK(!boolean("f"));
    for (const std::string_view none : {"", "true", "T", "1", "tf"})
        check_refused(pg::oid::boolean, none);
}

BOOST_AUTO_TEST_CASE(bytes_are_pairs_of_hex_digits)
{
    BOOST_CHECK_EQUAL(bytes("\\x"), "");
    BOOST_CHECK_EQUAL(bytes("\\x4a6f"), "Jo");
    BOOST_CHECK_EQUAL(bytes("\\xff"), "\xff");
    for (const std::string_view none : {"", "\\", "4a", "\\x4", "\\x4a6", "\\xzz", "\\x4g", "\\x 4", "\\x-1"})
        check_refused(pg::oid::bytea, none);
}

BOOST_AUTO_TEST_CASE(a_real_may_be_infinite_or_no_number)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const Oid type : {pg::oid::float4, pg::oid::float8}) {
        BOOST_CHECK_EQUAL(real(type, "Infinity"), infinity);
        BOOST_CHECK_EQUAL(real(type, "-Infinity"), -infinity);
        BOOST_CHECK(std::isnan(real(type, "NaN")));
        BOOST_CHECK_EQUAL(real(type, "-2.5"), -2.5);
        for (const std::string_view none : {"", "xInfinity", "+Infinity", "1.5x", " 1", "--1"})
            check_refused(type, none);
    }
}
