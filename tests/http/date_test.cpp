// HTTP dates, read in their three forms.
#include "http/date.hpp"

#include <boost/test/unit_test.hpp>

namespace http = heddle::http;

namespace {

constexpr std::time_t of_the_rfc = 784111777; // Sun, 06 Nov 1994 08:49:37 GMT
constexpr std::time_t today = 1'800'000'000;  // in 2027

} // namespace

BOOST_AUTO_TEST_SUITE(dates)

// RFC 9110 section 5.6.7
BOOST_AUTO_TEST_CASE(are_read_in_all_three_forms)
{
    for (const char* text :
         {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"})
        BOOST_TEST(http::parse_date(text, today).value_or(-1) == of_the_rfc, text);
    BOOST_TEST(http::parse_date("Thu Nov 16 08:49:37 1995", today).value_or(-1) == 816511777);
    BOOST_TEST(http::parse_date("Thu, 29 Feb 2024 23:59:60 GMT", today).value_or(-1) == 1709251200);
}

BOOST_AUTO_TEST_CASE(are_read_as_they_are_written)
{
    for (const std::time_t at :
         {std::time_t{0}, of_the_rfc, today, std::time_t{951782400}, std::time_t{4102444800}})
        BOOST_TEST(http::parse_date(http::format_date(at), today).value_or(-1) == at);
}

BOOST_AUTO_TEST_CASE(have_a_year_of_two_digits_in_the_century_that_is_near)
{
    const auto year = [](const char* text) {
        return http::format_date(*http::parse_date(text, today)).substr(12, 4);
    };

    BOOST_TEST(year("Sunday, 06-Nov-94 08:49:37 GMT") == "1994");
    BOOST_TEST(year("Sunday, 06-Nov-77 08:49:37 GMT") == "2077");
    BOOST_TEST(year("Sunday, 06-Nov-78 08:49:37 GMT") == "1978");
    BOOST_TEST(year("Sunday, 06-Nov-00 08:49:37 GMT") == "2000");
}

BOOST_AUTO_TEST_CASE(that_are_none_are_not_read)
{
    for (const char* text :
         {"", "Sun", "0", "-1", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
          "Sun, 06 Nov 1994 08:49:37 GMT ", "sun, 06 nov 1994 08:49:37 gmt", "Sun, 31 Feb 1994 08:49:37 GMT",
          "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
          "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun, 06 Nov 94 08:49:37 GMT",
          "Day, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 +8:49:37 GMT"})
        BOOST_TEST(!http::parse_date(text, today), text);
    const std::string whole = "Sun, 06 Nov 1994 08:49:37 GMT";
    for (std::size_t size = 0; size != whole.size(); ++size)
        BOOST_TEST(!http::parse_date(whole.substr(0, size), today), "cut at " << size);
}

BOOST_AUTO_TEST_SUITE_END()
