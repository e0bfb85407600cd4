// Days, moments and exact numbers: as text, through SQLite, and into members that may not hold them.
#include "database_fixture.hpp"

#include "time_text.hpp"

#define BOOST_TEST_MODULE times
#include <boost/test/unit_test.hpp>

#include <boost/describe.hpp>

#include <chrono>
#include <limits>
#include <vector>

namespace chrono = std::chrono;

namespace {

struct event
{
    chrono::sys_days day;
    chrono::sys_time<chrono::microseconds> at;
    chrono::local_time<chrono::milliseconds> opens;
    std::optional<chrono::sys_seconds> ended;
};
BOOST_DESCRIBE_STRUCT(event, (), (day, at, opens, ended))

std::string written(const db::moment& m, db::zone zone)
{
    char space[db::longest_time];
    return std::string(db::write_moment(m, zone, space));
}

// "day.microseconds", with a Z where there is an offset; "nothing".
std::string parsed(std::string_view text)
{
    const auto m = db::parse_moment(text);
    if (!m)
        return "nothing";
    return std::to_string(m->at.days) + "." + std::to_string(m->at.microseconds) + (m->has_offset ? "Z" : "");
}

template <class T>
bool decodes(const db::value& from, T expected)
{
    T to{};
    return db::codec<T>::decode(from, to) && to == expected;
}

template <class T>
bool refuses(const db::value& from)
{
    T to{};
    return !db::codec<T>::decode(from, to);
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(times, database_fixture)

BOOST_AUTO_TEST_CASE(every_day_of_twelve_thousand_years_comes_back)
{
    std::int64_t wrong = 0;
    char space[db::longest_time];
    for (std::int64_t day = -2'500'000; day < 2'000'000; day += 1) {
        const auto back = db::parse_date(db::write_date(day, space));
        wrong += back == day ? 0 : 1;
    }
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(a_moment_is_read_with_and_without_an_offset)
{
    BOOST_TEST(parsed("1970-01-02T00:00:01.5Z") == "1.1500000Z");
    BOOST_TEST(parsed("1970-01-02 00:00:01.5") == "1.1500000");
    BOOST_TEST(parsed("1970-01-02T00:00") == "1.0");
    BOOST_TEST(parsed("1970-01-01T01:00:00+02:00") == "-1.82800000000Z");
    BOOST_TEST(parsed("1970-01-01T23:30:00-00:45") == "1.900000000Z");
    BOOST_TEST(parsed("1969-12-31T23:59:60Z") == "0.0Z");
    BOOST_TEST(parsed("1970-01-01T00:00:00.123456789Z") == "0.123456Z");
    BOOST_TEST(written({1, 1'500'000}, db::zone::utc) == "1970-01-02T00:00:01.5Z");
    BOOST_TEST(written({-1, 82'800'000'000}, db::zone::none) == "1969-12-31T23:00:00");
}

BOOST_AUTO_TEST_CASE(what_is_no_moment_is_refused)
{
    for (const char* text :
         {"", "1970-01-01", "1970-1-1T00:00", "1970-02-30T00:00", "1970-13-01T00:00", "1970-01-01T25:00",
          "1970-01-01T00:60", "1970-01-01T00:00:00.", "1970-01-01T00:00Zx", "1970-01-01T00:00+",
          "0000-01-01T00:00", "infinity", "now", "1970-01-01T00:00 AD", "99999999-01-01T00:00"})
        BOOST_TEST(parsed(text) == "nothing", text);
    for (const char* text :
         {"2026-02-29", "2026-02-3", " 2026-02-03", "2026-02-03 ", "26-02-03", "2100-02-29"})
        BOOST_TEST(!db::parse_date(text).has_value(), text);
    BOOST_TEST(db::parse_date("2000-02-29").has_value());
}

BOOST_AUTO_TEST_CASE(times_go_through_sqlite_and_sort_as_text)
{
    const event begun{.day = chrono::year(2026) / 2 / 28,
                      .at = chrono::sys_days(chrono::year(1969) / 12 / 31) + 23h + 999'999us,
                      .opens = chrono::local_days(chrono::year(2026) / 1 / 1) + 12h + 34ms,
                      .ended = std::nullopt};
    writes.script("CREATE TABLE events (day TEXT, at TEXT, opens TEXT, ended TEXT)");
    writes.run("INSERT INTO events VALUES ($1, $2, $3, $4)", begun.day, begun.at, begun.opens, begun.ended);
    writes.run("INSERT INTO events VALUES ($1, $2, $3, $4)", begun.day, begun.at + 1us, begun.opens,
               chrono::sys_seconds(7s));

    const auto found =
        reads.query<event>("SELECT * FROM events WHERE at < $1 ORDER BY at DESC", begun.at + 1h);
    BOOST_TEST_REQUIRE(found.size() == 2u);
    BOOST_TEST((found[1].day == begun.day && found[1].at == begun.at && found[1].opens == begun.opens));
    BOOST_TEST(!found[1].ended.has_value());
    BOOST_TEST((found[0].at == begun.at + 1us && found[0].ended == chrono::sys_seconds(7s)));
    BOOST_TEST(reads.one<std::string>("SELECT at FROM events ORDER BY at LIMIT 1") ==
               "1969-12-31T23:00:00.999999Z");
    BOOST_TEST(reads.one<std::string>("SELECT opens FROM events LIMIT 1") == "2026-01-01T12:00:00.034");
}

BOOST_AUTO_TEST_CASE(a_time_that_a_member_cannot_hold_is_refused)
{
    using seconds = chrono::sys_seconds;
    using nanoseconds = chrono::sys_time<chrono::nanoseconds>;
    BOOST_TEST(decodes(db::value::text("1970-01-01T00:00:07Z"), seconds(7s)));
    BOOST_TEST(refuses<seconds>(db::value::text("1970-01-01T00:00:07.5Z")), "a fraction of its unit");
    BOOST_TEST(refuses<seconds>(db::value::text("1970-01-01T00:00:07")), "no offset");
    BOOST_TEST(refuses<chrono::local_seconds>(db::value::text("1970-01-01T00:00:07Z")), "an offset");
    BOOST_TEST(refuses<nanoseconds>(db::value::text("2500-01-01T00:00:00Z")),
               "beyond 64 bits of nanoseconds");
    BOOST_TEST(refuses<seconds>(db::value::text("infinity")));
    BOOST_TEST(refuses<seconds>(db::value::integer(7)));
    BOOST_TEST(ending_of([&] {
                   reads.one<std::string>("SELECT $1", chrono::sys_time<chrono::hours>::max());
               }) == "value");
    BOOST_TEST(message_of([&] {
                   reads.one<chrono::sys_days>("SELECT 'soon' AS day");
               }).find("a date is wanted") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_exact_number_is_read_exactly_or_not_at_all)
{
    BOOST_TEST(decodes(db::value::decimal("12.00"), std::int64_t{12}));
    BOOST_TEST(decodes(db::value::decimal("-9223372036854775808"), std::numeric_limits<std::int64_t>::min()));
    BOOST_TEST(refuses<std::int64_t>(db::value::decimal("9223372036854775808")));
    BOOST_TEST(refuses<std::int64_t>(db::value::decimal("12.01")));
    BOOST_TEST(refuses<std::int8_t>(db::value::decimal("128")));
    BOOST_TEST(decodes(db::value::decimal("0.1"), 0.1));
    BOOST_TEST(refuses<double>(db::value::decimal("1" + std::string(400, '0'))));
    BOOST_TEST(refuses<float>(db::value::decimal("1" + std::string(40, '0'))));
    BOOST_TEST(decodes(db::value::decimal("0." + std::string(400, '0') + "1"), 0.0));
    BOOST_TEST(decodes(db::value::decimal("12.50"), std::string("12.50")));
}

BOOST_AUTO_TEST_SUITE_END()
