// Reads that are asked for together, where the database takes them one by one.
#include "database_fixture.hpp"

#include <heddle/db/reading.hpp>

#define BOOST_TEST_MODULE together
#include <boost/test/unit_test.hpp>

#include <tuple>
#include <utility>
#include <vector>

BOOST_FIXTURE_TEST_SUITE(together, database_fixture)

BOOST_AUTO_TEST_CASE(each_reading_gives_its_own_result)
{
    add("tea");
    add("pot");

    const auto [names, first, none] =
        reads.together(db::query<std::string>("SELECT name FROM items ORDER BY id"),
                       db::one<std::int64_t>("SELECT id FROM items WHERE name = $1", "tea"),
                       db::find<std::int64_t>("SELECT id FROM items WHERE name = $1", "cup"));

    BOOST_TEST(names == (std::vector<std::string>{"tea", "pot"}), boost::test_tools::per_element());
    BOOST_TEST(first == 1);
    BOOST_TEST(!none);
    BOOST_TEST(is_at_rest());
}

BOOST_AUTO_TEST_CASE(a_reading_keeps_its_parameters_also_when_it_is_moved)
{
    const auto longer_than_a_small_string = std::string(40, 'x');
    std::vector<db::reading<std::string>> wanted;
    for (const auto* end : {"a", "b", "c"})
        wanted.push_back(db::one<std::string>("SELECT $1", longer_than_a_small_string + end));

    const auto found = reads.together(wanted);

    BOOST_TEST(found.at(0) == longer_than_a_small_string + "a");
    BOOST_TEST(found.at(2) == longer_than_a_small_string + "c");
}

BOOST_AUTO_TEST_CASE(no_readings_are_no_results)
{
    BOOST_TEST(reads.together(std::vector<db::reading<std::string>>{}).empty());
}

BOOST_AUTO_TEST_CASE(inside_a_transaction_they_see_what_it_has_written)
{
    const auto count = writes.transaction([](db::transaction& tx) {
        tx.run("INSERT INTO items (name) VALUES ('tea')");
        return std::get<1>(tx.together(db::one<std::int64_t>("SELECT 1"),
                                       db::one<std::int64_t>("SELECT count(*) FROM items")));
    });
    BOOST_TEST(count == 1);
}

BOOST_AUTO_TEST_CASE(the_first_that_fails_is_the_error)
{
    const auto message = message_of([&] {
        reads.together(db::one<std::int64_t>("SELECT 1"), db::one<std::int64_t>("SELECT 2 WHERE false"),
                       db::one<std::int64_t>("SELECT no_such_column"));
    });
    BOOST_TEST(contains(message, "SELECT 2 WHERE false"));
    BOOST_TEST(is_at_rest());
}

BOOST_AUTO_TEST_SUITE_END()
