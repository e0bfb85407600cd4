// Sales per country, the best first. In cents: sums of fractions depend on the order they are added up in.
#include "chinook.hpp"

#include <boost/describe.hpp>

#include <cstdint>
#include <string>

namespace chinook {

namespace {

struct country_sales
{
    std::string country;
    std::int64_t customers;
    std::int64_t invoices;
    std::int64_t total_cents;
};
BOOST_DESCRIBE_STRUCT(country_sales, (), (country, customers, invoices, total_cents))

constexpr db::sql sales_by_country{
    .sqlite = R"(
    SELECT BillingCountry AS country, count(DISTINCT CustomerId) AS customers, count(*) AS invoices,
           sum(CAST(round(Total * 100) AS INTEGER)) AS total_cents
    FROM Invoice GROUP BY BillingCountry ORDER BY total_cents DESC, country)",
    .postgres = R"(
    SELECT billing_country AS country, count(DISTINCT customer_id) AS customers, count(*) AS invoices,
           CAST(sum(total * 100) AS BIGINT) AS total_cents
    FROM invoice GROUP BY billing_country ORDER BY total_cents DESC, country)",
};

} // namespace

void mount_sales(http::router& router, db::lane& reads)
{
    router.get("/sales",
               [&reads](const http::request&) { return reads.query<country_sales>(sales_by_country); });
}

} // namespace chinook
