// Rows as C++ types, and values as parameters, against a real SQLite file.
#include "database_fixture.hpp"

#define BOOST_TEST_MODULE rows
#include <boost/test/unit_test.hpp>

#include <limits>
#include <tuple>
#include <vector>

namespace {

struct small
{
    std::int32_t n;
};
BOOST_DESCRIBE_STRUCT(small, (), (n))

struct strict
{
    std::int64_t id;
    std::string name;
    double price;
};
BOOST_DESCRIBE_STRUCT(strict, (), (id, name, price))

struct view
{
    std::string_view name;
};
BOOST_DESCRIBE_STRUCT(view, (), (name))

// What may leave a body, and what does not compile (SEMANTICS 105).
static_assert(db::complete_value<void>);
static_assert(db::complete_value<item>);
static_assert(db::complete_value<std::vector<item>>);
static_assert(db::complete_value<std::optional<std::tuple<int, std::string>>>);
static_assert(!db::complete_value<item&>);
static_assert(!db::complete_value<item*>);
static_assert(!db::complete_value<std::string_view>);
static_assert(!db::complete_value<view>);
static_assert(!db::complete_value<db::row>);
static_assert(!db::complete_value<db::value>);
static_assert(!db::complete_value<db::open_cursor>);
static_assert(!db::complete_value<db::transaction>);
static_assert(!db::complete_value<db::session>);
static_assert(!db::complete_value<std::vector<db::row>>);
static_assert(!db::complete_value<std::optional<const char*>>);
static_assert(!db::complete_value<std::pair<int, std::unique_ptr<db::session>>>);

} // namespace

BOOST_FIXTURE_TEST_SUITE(rows, database_fixture)

BOOST_AUTO_TEST_CASE(a_described_struct_is_read_by_the_names_of_its_members)
{
    writes.run("INSERT INTO items VALUES ($1, $2, $3)", 7, "tea", 2.5);

    const auto found = reads.find<item>("SELECT price, name, 'unused' AS extra, id FROM items");

    BOOST_REQUIRE(found.has_value());
    BOOST_TEST(found->id == 7);
    BOOST_TEST(found->name == "tea");
    BOOST_TEST(found->price.value() == 2.5);
}

BOOST_AUTO_TEST_CASE(null_is_an_empty_optional)
{
    writes.run("INSERT INTO items VALUES ($1, $2, $3)", 1, "tea", std::nullopt);

    BOOST_TEST(!reads.one<item>("SELECT id, name, price FROM items").price.has_value());
    BOOST_TEST(!reads.one<std::optional<double>>("SELECT price FROM items").has_value());
}

BOOST_AUTO_TEST_CASE(null_into_a_plain_member_is_named)
{
    writes.run("INSERT INTO items (name) VALUES ('tea')");

    const auto message = message_of([&] { reads.query<strict>("SELECT id, name, price FROM items"); });

    BOOST_TEST(contains(message, "strict"));
    BOOST_TEST(contains(message, "column \"price\" is NULL"));
    BOOST_TEST(contains(message, "std::optional"));
}

BOOST_AUTO_TEST_CASE(a_missing_column_is_named_even_without_rows)
{
    const auto message = message_of([&] { reads.query<item>("SELECT id, name FROM items"); });

    BOOST_TEST(contains(message, "there is no column \"price\"; there are: id, name"));
}

BOOST_AUTO_TEST_CASE(two_columns_of_one_name_are_refused)
{
    const auto message = message_of([&] { reads.query<item>("SELECT id, id, name, price FROM items"); });

    BOOST_TEST(contains(message, "two columns are called \"id\""));
}

BOOST_AUTO_TEST_CASE(another_type_is_named)
{
    add("tea");

    const auto message = message_of([&] { reads.query<small>("SELECT name AS n FROM items"); });

    BOOST_TEST(contains(message, "column \"n\" holds text, where an integer of 32 bits is wanted"));
}

BOOST_AUTO_TEST_CASE(a_number_that_does_not_fit_is_never_cut)
{
    BOOST_TEST(reads.one<small>("SELECT 2147483647 AS n").n == 2147483647);

    const auto message = message_of([&] { reads.one<small>("SELECT 2147483648 AS n"); });

    BOOST_TEST(contains(message, "integer 2147483648"));
}

BOOST_AUTO_TEST_CASE(a_tuple_is_read_by_position)
{
    add("tea");

    const auto [name, id] = reads.one<std::tuple<std::string, std::int64_t>>("SELECT name, id FROM items");

    BOOST_TEST(name == "tea");
    BOOST_TEST(id == 1);
    BOOST_TEST(ending_of([&] { reads.one<std::tuple<int>>("SELECT 1, 2"); }) == "row_error");
}

BOOST_AUTO_TEST_CASE(values_come_back_as_they_went)
{
    const auto there_and_back = [&](auto value) { return reads.one<decltype(value)>("SELECT $1", value); };

    BOOST_TEST(there_and_back(true));
    BOOST_TEST(there_and_back(std::numeric_limits<std::int64_t>::min()) ==
               std::numeric_limits<std::int64_t>::min());
    BOOST_TEST(there_and_back(std::numeric_limits<std::int64_t>::max()) ==
               std::numeric_limits<std::int64_t>::max());
    BOOST_TEST(there_and_back(0.1) == 0.1);
    BOOST_TEST(there_and_back(std::string()) == "");
    BOOST_TEST(there_and_back(std::string("a\0b", 3)) == std::string("a\0b", 3));
    BOOST_TEST((there_and_back(std::vector<std::byte>{std::byte{0}, std::byte{255}}).size() == 2U));
    BOOST_TEST(there_and_back(std::vector<std::byte>{}).empty());
    BOOST_TEST(!there_and_back(std::optional<int>{}).has_value());
}

BOOST_AUTO_TEST_CASE(an_empty_view_is_the_empty_text_and_not_null)
{
    BOOST_TEST(reads.one<std::string>("SELECT typeof($1)", std::string_view{}) == "text");
}

BOOST_AUTO_TEST_CASE(what_no_column_can_keep_is_refused)
{
    BOOST_TEST(ending_of([&] { reads.one<int>("SELECT $1", std::numeric_limits<std::uint64_t>::max()); }) ==
               "value");
    BOOST_TEST(ending_of([&] { reads.one<double>("SELECT $1", std::numeric_limits<double>::quiet_NaN()); }) ==
               "value");
}

BOOST_AUTO_TEST_CASE(a_number_is_not_rounded_to_another_without_a_word)
{
    constexpr std::int64_t exact = std::int64_t(1) << 53;
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    BOOST_TEST(reads.one<double>("SELECT $1", exact) == 9007199254740992.0);
    BOOST_TEST(reads.one<double>("SELECT $1", least) == -9223372036854775808.0);
    BOOST_TEST(reads.one<float>("SELECT 0.1") == 0.1F);
    BOOST_TEST(ending_of([&] { reads.one<double>("SELECT $1", exact + 1); }) == "row_error");
    BOOST_TEST(ending_of([&] { reads.one<double>("SELECT $1", most); }) == "row_error");
    BOOST_TEST(ending_of([&] { reads.one<float>("SELECT 16777217"); }) == "row_error");
    BOOST_TEST(ending_of([&] { reads.one<float>("SELECT 1e39"); }) == "row_error");
}

BOOST_AUTO_TEST_CASE(parameters_are_bound_by_their_number)
{
    const auto swapped =
        reads.one<std::tuple<std::string, std::string, std::string>>("SELECT $2, $1, $2", "one", "two");

    BOOST_TEST((swapped == std::tuple<std::string, std::string, std::string>("two", "one", "two")));
}

BOOST_AUTO_TEST_CASE(other_ways_to_write_parameters_are_refused)
{
    for (const char* text :
         {"SELECT ?", "SELECT ?1", "SELECT :a", "SELECT @a", "SELECT $a", "SELECT $01", "SELECT $0"})
        BOOST_TEST(contains(message_of([&] { reads.one<int>(text, 1); }), "parameters are written $1, $2"),
                   text);
    BOOST_TEST(contains(message_of([&] { reads.one<int>("SELECT $2", 1, 2); }), "not all used"));
    BOOST_TEST(contains(message_of([&] { reads.one<int>("SELECT $1"); }), "0 values for 1 parameters"));
    BOOST_TEST(contains(message_of([&] { reads.one<int>("SELECT $1", 1, 2); }), "2 values for 1 parameters"));
    BOOST_TEST(ending_of([&] { reads.one<int>("SELECT $40000", 1); }) != "returned");
}

BOOST_AUTO_TEST_CASE(one_wants_exactly_one_row_and_find_at_most_one)
{
    BOOST_TEST(ending_of([&] { reads.one<int>("SELECT 1 WHERE 0"); }) == "row_error");
    BOOST_TEST(!reads.find<int>("SELECT 1 WHERE 0").has_value());
    BOOST_TEST(ending_of([&] { reads.find<int>("SELECT 1 UNION SELECT 2"); }) == "row_error");
}

BOOST_AUTO_TEST_CASE(for_each_sees_the_rows_in_order_and_may_look_by_hand)
{
    for (const char* name : {"a", "b", "c"})
        add(name);
    std::string seen;

    reads.for_each<db::row>([&](const db::row& row) { seen += row.get<std::string>("name"); },
                            "SELECT id, name FROM items ORDER BY id DESC");

    BOOST_TEST(seen == "cba");
}

BOOST_AUTO_TEST_CASE(run_says_how_many_rows_it_changed)
{
    BOOST_TEST(writes.run("INSERT INTO items (name) VALUES ('a'), ('b'), ('c')") == 3);
    BOOST_TEST(writes.run("UPDATE items SET price = 1 WHERE name <> $1", "a") == 2);
    BOOST_TEST(writes.run("DELETE FROM items WHERE name = 'nobody'") == 0);
    BOOST_TEST(writes.run("CREATE TABLE other (id INTEGER)") == 0);
}

BOOST_AUTO_TEST_CASE(each_database_may_have_its_own_text)
{
    BOOST_TEST(reads.one<int>(db::sql{.sqlite = "SELECT 1", .postgres = "SELECT 2"}) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
