// The sum of all that may connect against a server's limits.
#include <heddle/db/capacity.hpp>

#define BOOST_TEST_MODULE capacity
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>

namespace db = heddle::db;

namespace {

// 4 x (8 + 1) + 5 + 3 + 10 = 54 in all; 41 of them under the instances' role; 44 in their database.
const db::connection_demand demand{
    .instances = 4, .pool_size = 8, .probes = 1, .batch = 5, .operations = 3, .others = 10};

bool has_line(const db::capacity& found, const std::string& begin, const std::string& number)
{
    return std::any_of(found.lines.begin(), found.lines.end(), [&](const std::string& line) {
        return line.starts_with(begin) && line.find(" " + number) != line.npos;
    });
}

} // namespace

BOOST_AUTO_TEST_SUITE(capacity)

// SEMANTICS 112
BOOST_AUTO_TEST_CASE(shows_every_part_of_the_sum)
{
    const auto found = db::compare(demand, {.max_connections = 100, .superuser_reserved = 3, .open_now = 17});

    BOOST_TEST(found.is_enough);
    BOOST_TEST(found.shortage.empty());
    BOOST_TEST(has_line(found, "4 instances x 8 pooled", "32"));
    BOOST_TEST(has_line(found, "4 instances x 1 for readiness", "4"));
    BOOST_TEST(has_line(found, "batch", "5"));
    BOOST_TEST(has_line(found, "operations", "3"));
    BOOST_TEST(has_line(found, "other clients", "10"));
    BOOST_TEST(has_line(found, "together", "54"));
    BOOST_TEST(has_line(found, "max_connections", "100"));
    BOOST_TEST(has_line(found, "usable", "97   43 to spare"));
    BOOST_TEST(has_line(found, "open now", "17"));
}

// SEMANTICS 112
BOOST_AUTO_TEST_CASE(counts_what_is_reserved_for_superusers_as_gone)
{
    BOOST_TEST(db::compare(demand, {.max_connections = 57, .superuser_reserved = 3}).is_enough);
    const auto short_of_one = db::compare(demand, {.max_connections = 56, .superuser_reserved = 3});

    BOOST_TEST(!short_of_one.is_enough);
    BOOST_TEST(short_of_one.shortage == "usable: 53, 1 too few for 54");
    BOOST_TEST(db::compare(demand, {.max_connections = 54, .superuser_reserved = 3, .is_superuser = true})
                   .is_enough);
}

// SEMANTICS 112
BOOST_AUTO_TEST_CASE(holds_the_instances_and_their_batch_against_the_limit_of_their_role)
{
    db::connection_limits limits{.max_connections = 100, .role = "app", .role_limit = 41};
    BOOST_TEST(db::compare(demand, limits).is_enough);

    limits.role_limit = 40;
    BOOST_TEST(db::compare(demand, limits).shortage ==
               "limit of role app (instances, batch): 40, 1 too few for 41");

    limits.is_superuser = true; // who is held to none
    BOOST_TEST(db::compare(demand, limits).is_enough);
}

// SEMANTICS 112
BOOST_AUTO_TEST_CASE(holds_all_but_other_clients_against_the_limit_of_the_database)
{
    db::connection_limits limits{.max_connections = 100, .database = "shop", .database_limit = 44};
    BOOST_TEST(db::compare(demand, limits).is_enough);

    limits.database_limit = 43;
    limits.max_connections = 50;
    BOOST_TEST(db::compare(demand, limits).shortage ==
               "usable: 50, 4 too few for 54; "
               "limit of database shop (all but other clients): 43, 1 too few for 44");
}

BOOST_AUTO_TEST_SUITE_END()
