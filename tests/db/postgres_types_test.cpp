// Values on their way to PostgreSQL and back, in both of its formats.
#include "postgres_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

namespace {

using strings = std::vector<std::string>;
using bytes = std::vector<std::byte>;

// libpq has one format for a result: a column whose type is read as text makes the others come as text, too.
const std::string also_as_text = ", 1::numeric AS n";

template <class T>
struct both
{
    std::vector<T> binary;
    std::vector<T> text;
};

// What comes back of each value, given as a parameter of `type`.
template <class T>
both<T> round_trip(db::lane& lane, const std::string& type, const std::vector<T>& values)
{
    both<T> back;
    const auto sql = "SELECT $1::" + type + " AS v";
    for (const auto& v : values) {
        back.binary.push_back(lane.one<T>(sql, v));
        back.text.push_back(std::get<0>(lane.one<std::tuple<T, std::string>>(sql + also_as_text, v)));
    }
    return back;
}

template <class T>
void check_round_trip(postgres_fixture& fixture, const std::string& type, const std::vector<T>& values)
{
    both<T> back;
    fixture.with_database(
        [&](db::database& database) { back = round_trip(database.lane("read"), type, values); });
    BOOST_CHECK(back.binary == values);
    BOOST_CHECK(back.text == values);
}

template <class T>
using limits = std::numeric_limits<T>;

} // namespace

BOOST_FIXTURE_TEST_SUITE(postgres_types, postgres_fixture)

BOOST_AUTO_TEST_CASE(integers_come_back_to_their_ends)
{
    check_round_trip<std::int16_t>(*this, "smallint",
                                   {0, 1, -1, limits<std::int16_t>::min(), limits<std::int16_t>::max()});
    check_round_trip<std::int32_t>(*this, "integer",
                                   {0, -7, limits<std::int32_t>::min(), limits<std::int32_t>::max()});
    check_round_trip<std::int64_t>(*this, "bigint",
                                   {0, -7, limits<std::int64_t>::min(), limits<std::int64_t>::max()});
    check_round_trip<std::uint32_t>(*this, "oid", {0, 7, limits<std::uint32_t>::max()});
}

BOOST_AUTO_TEST_CASE(floating_numbers_come_back_bit_by_bit)
{
    check_round_trip<double>(*this, "double precision",
                             {0.1, -0.0, 1e308, 5e-324, limits<double>::max(), limits<double>::infinity(),
                              -limits<double>::infinity()});
    check_round_trip<float>(*this, "real", {0.1F, limits<float>::max(), 1e-45F, -limits<float>::infinity()});
    both<double> nan;
    with_database([&](db::database& database) {
        nan = round_trip<double>(database.lane("read"), "double precision", {std::nan("")});
    });
    BOOST_TEST(std::isnan(nan.binary[0]));
    BOOST_TEST(std::isnan(nan.text[0]));
}

BOOST_AUTO_TEST_CASE(text_and_bytes_and_booleans_come_back)
{
    check_round_trip<std::string>(*this, "text",
                                  {"", "tea", "t\xc3\xa9\t'\\x41\n", std::string(100'000, 'x')});
    check_round_trip<bytes>(*this, "bytea",
                            {{}, {std::byte{0}, std::byte{255}, std::byte{92}}, bytes(70'000, std::byte{7})});
    bool truth = false;
    bool falsehood = true;
    with_database([&](db::database& database) {
        auto back = round_trip<bool>(database.lane("read"), "boolean", {true, false});
        truth = back.binary[0] && back.text[0];
        falsehood = back.binary[1] || back.text[1];
    });
    BOOST_TEST(truth);
    BOOST_TEST(!falsehood);
}

BOOST_AUTO_TEST_CASE(numeric_is_exact)
{
    check_round_trip<std::string>(
        *this, "numeric", {"12345678901234567890.12345678901234567890", "-0.00001", "NaN", "1000000"});
    strings from_numbers;
    with_database([&](db::database& database) {
        from_numbers = {
            database.lane("read").one<std::string>("SELECT $1::numeric", limits<std::int64_t>::min()),
            database.lane("read").one<std::string>("SELECT $1::numeric", 0.1)};
    });
    BOOST_TEST(from_numbers == (strings{"-9223372036854775808", "0.1"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(uuid_and_json_are_text)
{
    check_round_trip<std::string>(*this, "uuid", {"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"});
    check_round_trip<std::string>(*this, "json", {R"({"a" : [1,null]})"});
    check_round_trip<std::string>(*this, "jsonb", {R"({"a": [1, null]})", "null"});
}

BOOST_AUTO_TEST_CASE(days_and_instants_are_rfc_3339_wherever_that_goes)
{
    check_round_trip<std::string>(*this, "date",
                                  {"2026-02-28", "2000-02-29", "1969-12-31", "0001-01-01", "4713-01-01 BC",
                                   "5874897-12-31", "infinity", "-infinity"});
    check_round_trip<std::string>(*this, "timestamp",
                                  {"2026-01-01T12:34:56.789", "1999-12-31T23:59:59.999999",
                                   "0044-03-15T00:00:00 BC", "294276-12-31T23:59:59.999999", "infinity"});
    check_round_trip<std::string>(*this, "timestamptz",
                                  {"2026-01-01T12:34:56Z", "1600-01-01T00:00:00.000001Z", "-infinity"});
}

// The session's zone decides how PostgreSQL writes an instant, and not how it is read here.
BOOST_AUTO_TEST_CASE(instants_are_in_utc_in_every_time_zone)
{
    strings seen;
    with_database([&](db::database& database) {
        for (const char* zone : {"Asia/Kolkata", "America/St_Johns", "UTC"})
            database.lane("write").transaction([&](db::transaction& tx) {
                tx.run(std::string("SET LOCAL timezone = '") + zone + "'");
                for (const auto& also : {std::string(), also_as_text})
                    tx.for_each<db::row>([&](const db::row& r) { seen.emplace_back(r.at(0).as_text()); },
                                         "SELECT '2026-07-01 00:30:00.25+02'::timestamptz AS v" + also);
            });
    });
    BOOST_TEST(seen == strings(6, "2026-06-30T22:30:00.25Z"), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_random_instant_is_the_same_in_both_formats_and_to_the_server)
{
    std::int64_t compared = 0;
    std::int64_t different = 0;
    with_database([&](db::database& database) {
        const char* instants =
            "SELECT to_timestamp(i * 7919.123457 * (CASE WHEN i % 2 = 0 THEN -1 ELSE 1 END) * 1000) "
            "AS t, to_char(to_timestamp(i * 7919.123457 * (CASE WHEN i % 2 = 0 THEN -1 ELSE 1 END) * "
            "1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS') AS c";
        for (const auto& also : {std::string(), also_as_text})
            database.lane("read").for_each<db::row>(
                [&](const db::row& r) {
                    ++compared;
                    different += r.at(0).as_text().substr(0, 19) == r.at(1).as_text() ? 0 : 1;
                },
                instants + also + " FROM generate_series(1, 2000) AS i");
    });
    BOOST_TEST(compared == 4000);
    BOOST_TEST(different == 0);
}

BOOST_AUTO_TEST_CASE(chrono_types_come_back)
{
    using std::chrono::local_days;
    using std::chrono::sys_days;
    using std::chrono::year;
    check_round_trip<sys_days>(
        *this, "date",
        {sys_days(year(2026) / 2 / 28), sys_days(year(1) / 1 / 1), sys_days(year(-43) / 3 / 15)});
    check_round_trip<std::chrono::sys_time<std::chrono::microseconds>>(
        *this, "timestamptz",
        {sys_days(year(1999) / 12 / 31) + 86'399'999'999us, sys_days(year(-4000) / 1 / 1) + 1us});
    check_round_trip<std::chrono::local_time<std::chrono::milliseconds>>(
        *this, "timestamp", {local_days(year(2026) / 1 / 1) + 7ms, local_days(year(1600) / 2 / 29) + 12h});
}

// PostgreSQL counts and sums bigint as numeric.
BOOST_AUTO_TEST_CASE(a_sum_is_a_number)
{
    std::int64_t sum = 0;
    double mean = 0;
    std::string fraction;
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        sum = lane.one<std::int64_t>("SELECT sum(n::bigint) FROM generate_series(1, 10) AS n");
        mean = lane.one<double>("SELECT avg(n::bigint) FROM generate_series(1, 10) AS n");
        fraction = ending_of([&] { lane.one<std::int64_t>("SELECT 1.5::numeric"); });
    });
    BOOST_TEST(sum == 55);
    BOOST_TEST(mean == 5.5);
    BOOST_TEST(fraction == "row_error");
}

BOOST_AUTO_TEST_CASE(null_is_an_empty_optional)
{
    std::optional<int> none = 7;
    std::optional<std::string> given;
    std::string refused;
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        none = lane.one<std::optional<int>>("SELECT $1::integer", std::optional<int>());
        given = lane.one<std::optional<std::string>>("SELECT $1::text", std::optional<std::string>(""));
        refused = ending_of([&] { lane.one<int>("SELECT NULL::integer"); });
    });
    BOOST_TEST(!none.has_value());
    BOOST_TEST((given && given->empty()));
    BOOST_TEST(refused == "row_error");
}

// FAULTS F23
BOOST_AUTO_TEST_CASE(a_value_that_does_not_fit_is_named_and_is_the_clients_error)
{
    strings endings;
    failure small;
    std::int64_t before = 0;
    std::int64_t after = 0;
    pool.size = 1;
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        before = backend_of(lane);
        small = failure_in([&] { lane.one<int>("SELECT 1 WHERE $2::smallint = 1 OR $1", true, 32'768); });
        endings = {ending_of([&] { lane.one<int>("SELECT $1::smallint", 40'000); }),
                   ending_of([&] { lane.one<int>("SELECT $1::integer", limits<std::int64_t>::max()); }),
                   ending_of([&] { lane.one<int>("SELECT $1::integer", 0.5); }),
                   ending_of([&] { lane.one<int>("SELECT $1::integer", 1e10); }),
                   ending_of([&] { lane.one<float>("SELECT $1::real", 1e300); }),
                   ending_of([&] { lane.one<int>("SELECT $1::integer", "abc"); }),
                   ending_of([&] { lane.one<int>("SELECT $1::integer", "99999999999999999999"); }),
                   ending_of([&] { lane.one<std::string>("SELECT $1::text", std::string("a\0b", 3)); }),
                   ending_of([&] { lane.one<std::string>("SELECT $1::text", "\xff"); })};
        after = backend_of(lane);
    });
    BOOST_TEST(endings == strings(9, "value"), boost::test_tools::per_element());
    BOOST_TEST(contains(small.message, "$2"));
    BOOST_TEST(contains(small.message, "32768"));
    BOOST_TEST(contains(small.message, "smallint"));
    BOOST_TEST(before == after);
}

// FAULTS F23
BOOST_AUTO_TEST_CASE(more_parameters_than_the_protocol_counts_are_refused)
{
    std::string ending;
    std::int64_t left = -1;
    with_database([&](db::database& database) {
        const auto driver = db::postgres(server);
        const auto session = driver->open(db::access::write);
        const std::vector<db::value> values(80'000, db::value::integer(1));
        ending = ending_of([&] { session->execute("SELECT 1", values); });
        left = session->healthy() ? 0 : 1;
        session->close();
        (void)database;
    });
    BOOST_TEST(ending == "value");
    BOOST_TEST(left == 0);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_that_type_at_all_is_the_programs_error)
{
    strings endings;
    with_database([&](db::database& database) {
        auto& lane = database.lane("read");
        endings = {ending_of([&] { lane.one<bool>("SELECT $1::boolean", 1); }),
                   ending_of([&] { lane.one<int>("SELECT $1::integer", true); }),
                   ending_of([&] { lane.one<int>("SELECT $1::integer", bytes{std::byte{1}}); }),
                   ending_of([&] { lane.one<std::string>("SELECT $1::date", 7); }),
                   ending_of([&] { lane.one<int>("SELECT $1::integer"); }),
                   ending_of([&] { lane.one<int>("SELECT 1", 1); })};
    });
    BOOST_TEST(endings == strings(6, "internal"), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
