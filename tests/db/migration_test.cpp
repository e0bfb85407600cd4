// Numbered SQL files against a database that has run none, some, or others. The database is a SQLite file, or
// a PostgreSQL where services/with_postgres.py has started one.
#include <heddle/db/migration.hpp>

#include <heddle/base/error.hpp>
#include <heddle/db/database.hpp>
#include <heddle/fiber/task_group.hpp>
#include <heddle/testing/runtime.hpp>
#include <heddle/testing/temporary_directory.hpp>

#include "empty_database.hpp"

#define BOOST_TEST_MODULE migration
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace db = heddle::db;
namespace fiber = heddle::fiber;
namespace testing = heddle::testing;
using namespace std::chrono_literals;

namespace odd {
std::vector<db::migration_file> migrations(); // made of migrations/
}

namespace {

using names = std::vector<std::string>;
using files = std::vector<db::migration_file>;

const bool is_postgres = std::getenv("HEDDLE_TEST_POSTGRES") != nullptr;

struct fixture
{
    testing::runtime runtime;
    testing::temporary_directory directory;
    std::shared_ptr<db::driver> driver = empty_database(directory);
    db::database database{{.driver = driver, .pool = {.size = 2}, .lanes = {{.name = "all"}}}};
    db::lane& lane = database.lane("all");

    files shop{{"0001_articles.sql", "CREATE TABLE articles (id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n"
                                     "INSERT INTO articles VALUES (1, 'tea'), (2, 'salt');\n"},
               {"0002_prices.sqlite.sql", "ALTER TABLE articles ADD COLUMN price INTEGER"},
               {"0002_prices.postgres.sql", "ALTER TABLE articles ADD COLUMN price NUMERIC(10, 2)"}};

    names migrate(const db::migration_options& options = {}) { return db::migrate(driver, shop, options); }
    names pending() { return db::pending_migrations(driver, shop); }

    std::int64_t count(const std::string& what)
    {
        return lane.one<std::int64_t>("SELECT count(*) FROM " + what);
    }
    bool has(const std::string& table)
    {
        return lane.one<std::int64_t>(db::sql{.sqlite = "SELECT count(*) FROM sqlite_master WHERE name = $1",
                                              .postgres = "SELECT count(*) FROM pg_class WHERE relname = $1"},
                                      table) > 0;
    }

    std::string refusal(const db::migration_options& options = {})
    {
        try {
            migrate(options);
        } catch (const heddle::config_error& refused) {
            return refused.what();
        }
        return "it was not refused";
    }
    bool refuses(const std::string& because) { return refusal().find(because) != std::string::npos; }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(migrations, fixture)

BOOST_AUTO_TEST_CASE(run_in_the_order_of_their_numbers_and_once)
{
    std::swap(shop.front(), shop.back());
    const names both{"0001_articles", "0002_prices"};
    BOOST_TEST(pending() == both, boost::test_tools::per_element());

    BOOST_TEST(migrate() == both, boost::test_tools::per_element());

    BOOST_TEST(migrate().empty());
    BOOST_TEST(pending().empty());
    BOOST_TEST(count("articles WHERE price IS NULL") == 2);
}

BOOST_AUTO_TEST_CASE(write_down_what_ran)
{
    migrate();

    BOOST_TEST(count("heddle_migrations WHERE number = 1 AND name = 'articles' AND state = 'done'") == 1);
    BOOST_TEST(count("heddle_migrations WHERE length(checksum) = 16 AND ran_at IS NOT NULL") == 2);
}

BOOST_AUTO_TEST_CASE(that_are_new_run_where_others_have)
{
    migrate();
    shop.push_back({"0003_stock.sql", "CREATE TABLE stock (article INTEGER PRIMARY KEY, pieces INTEGER)"});

    BOOST_TEST(migrate() == names{"0003_stock"}, boost::test_tools::per_element());

    BOOST_TEST(has("stock"));
}

BOOST_AUTO_TEST_CASE(are_only_looked_at_where_that_was_asked_for)
{
    pending();

    BOOST_TEST(!has("heddle_migrations"));
    BOOST_TEST(!has("articles"));
}

BOOST_AUTO_TEST_CASE(that_fail_undo_all_that_ran_with_them_and_say_which_it_was)
{
    shop.push_back(
        {"0003_wrong.sql", "CREATE TABLE stock (article INTEGER); INSERT INTO nowhere VALUES (1)"});
    std::string said;

    try {
        migrate();
    } catch (const std::exception& failure) {
        said = failure.what();
    }

    BOOST_TEST(said.find("0003_wrong: ") == 0U, said);
    BOOST_TEST(!has("articles"));
    BOOST_TEST(!has("stock"));
    BOOST_TEST(!has("heddle_migrations"));
}

BOOST_AUTO_TEST_CASE(that_end_the_transaction_are_refused)
{
    shop.push_back({"0003_wrong.sql", "COMMIT; CREATE TABLE stock (article INTEGER)"});

    BOOST_CHECK_THROW(migrate(), heddle::error);
}

BOOST_AUTO_TEST_CASE(that_have_changed_since_they_ran_are_refused)
{
    migrate();
    shop.front().text += "\n";

    BOOST_TEST(refuses("0001_articles has changed since it ran"), refusal());
}

BOOST_AUTO_TEST_CASE(do_not_change_with_the_line_ends_of_a_checkout)
{
    migrate();
    shop.front().text.insert(shop.front().text.find('\n'), "\r");

    BOOST_TEST(pending().empty());
}

BOOST_AUTO_TEST_CASE(that_have_another_name_than_the_one_that_ran_are_refused)
{
    migrate();
    shop.front().name = "0001_goods.sql";

    BOOST_TEST(refuses("0001_articles has run in this database, and is 0001_goods in this program"),
               refusal());
}

BOOST_AUTO_TEST_CASE(that_are_gone_are_refused)
{
    shop.push_back({"0003_stock.sql", "CREATE TABLE stock (article INTEGER)"});
    migrate();
    shop.pop_back();

    BOOST_TEST(refuses("0003_stock has run in this database, and is not in this program"), refusal());
    shop.erase(shop.begin());
    BOOST_TEST(refuses("0002_prices: there is no file of number 1 for"), refusal());
}

BOOST_AUTO_TEST_CASE(without_an_order_are_refused)
{
    shop.push_back({"0004_late.sql", ""});
    BOOST_TEST(refuses("0004_late: there is no file of number 3 for"), refusal());

    shop.back().name = "0002_twice.sql";
    BOOST_TEST(refuses("there are two files of this number for"), refusal());
}

BOOST_AUTO_TEST_CASE(whose_names_say_nothing_are_refused_each)
{
    for (const auto* name : {"prices.sql", "3.sql", "3_.sql", "-3_a.sql", "3-a.sql", "3_a.mysql.sql",
                             "3_a b.sql", "3_a.txt", "0_a.sql", "99999999999999999999_a.sql"}) {
        shop.push_back({name, ""});
        BOOST_TEST(refuses(std::string(name) + ": such a file is called"), name);
        shop.pop_back();
    }
}

BOOST_AUTO_TEST_CASE(of_another_database_only_are_refused)
{
    shop = {{is_postgres ? "1_a.sqlite.sql" : "1_a.postgres.sql", "CREATE TABLE a (b INTEGER)"}};

    BOOST_TEST(refuses("none of the files is for"), refusal());
}

BOOST_AUTO_TEST_CASE(that_have_run_with_a_gap_between_them_are_refused)
{
    migrate();
    lane.run("DELETE FROM heddle_migrations WHERE number = 1");

    BOOST_TEST(refuses("0002_prices has run in this database, and number 1 has not"), refusal());
}

BOOST_AUTO_TEST_CASE(may_be_written_down_under_another_name)
{
    migrate({.table = "shop_migrations"});

    BOOST_TEST(count("shop_migrations") == 2);
    BOOST_TEST(refusal({.table = "shop; DROP TABLE articles"}).find("the table's name must be") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(that_ran_before_there_was_a_table_are_written_down_and_not_run)
{
    lane.script("CREATE TABLE articles (id INTEGER PRIMARY KEY, name TEXT NOT NULL)");
    const db::migration_options options{.ran_before = [](db::transaction& tx) {
        return tx.one<std::int64_t>("SELECT count(*) + 1 FROM articles");
    }};

    BOOST_TEST(migrate(options) == names{"0002_prices"}, boost::test_tools::per_element());

    BOOST_TEST(count("heddle_migrations") == 2);
    BOOST_TEST(pending().empty());
}

BOOST_AUTO_TEST_CASE(of_several_instances_at_once_run_once)
{
    std::array<names, 4> ran;

    fiber::task_group::run([&](fiber::task_group& tasks) {
        for (auto& one : ran)
            tasks.start([&] { one = migrate(); });
        runtime.run_ready();
        runtime.advance(2s);
    });

    std::size_t sum = 0;
    for (const auto& one : ran)
        sum += one.size();
    BOOST_TEST(sum == 2U);
    BOOST_TEST(count("articles") == 2);
}

BOOST_AUTO_TEST_CASE(run_through_a_pooler_that_lends_for_a_transaction)
{
    const char* const pooler = std::getenv("HEDDLE_TEST_POOLER");
    if (!pooler) {
        BOOST_TEST_MESSAGE("skipped: pgbouncer is not installed, or this is SQLite");
        return;
    }
    driver = std::make_shared<outside::driver>(db::postgres(
        {.connection = std::string(pooler) + " dbname=transaction", .transaction_pooling = true}));

    BOOST_TEST(migrate().size() == 2U);

    BOOST_TEST(migrate().empty());
    BOOST_TEST(count("heddle_migrations") == 2);
}

BOOST_AUTO_TEST_CASE(of_a_directory_are_read_as_they_are)
{
    std::ofstream(directory.path("0001_a.sql")) << "CREATE TABLE a (b INTEGER);\n";
    std::ofstream(directory.path("README")) << "no SQL";

    const auto read = db::read_migrations(directory.path(""));

    BOOST_REQUIRE(read.size() == 1U);
    BOOST_TEST(read[0].name == "0001_a.sql");
    BOOST_TEST(read[0].text == "CREATE TABLE a (b INTEGER);\n");
    BOOST_CHECK_THROW(db::read_migrations(directory.path("gone")), heddle::config_error);
}

BOOST_AUTO_TEST_CASE(inside_of_the_program_are_those_of_the_directory)
{
    auto read = db::read_migrations(ODD_MIGRATIONS);
    std::sort(read.begin(), read.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    const auto made = odd::migrations();

    BOOST_REQUIRE(made.size() == 2U);
    BOOST_REQUIRE(read.size() == 2U);
    for (std::size_t i = 0; i < made.size(); ++i) {
        BOOST_TEST(made[i].name == read[i].name);
        BOOST_TEST(made[i].text == read[i].text);
    }
    db::migrate(driver, made);
    BOOST_TEST(count("notes") == 2);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

struct alone : fixture
{
    static constexpr const char* index = "-- heddle: no transaction\n"
                                         "CREATE UNIQUE INDEX CONCURRENTLY names ON articles (name)";

    alone() { shop.push_back({"0003_names.sql", index}); }

    bool skips()
    {
        if (!is_postgres)
            BOOST_TEST_MESSAGE("PostgreSQL's only");
        return !is_postgres;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(outside_of_a_transaction, alone)

BOOST_AUTO_TEST_CASE(sqlite_needs_no_file)
{
    if (!is_postgres)
        BOOST_TEST(refuses("0003_names: with SQLite every file runs in the transaction"), refusal());
}

BOOST_AUTO_TEST_CASE(a_file_runs_between_the_others)
{
    if (skips())
        return;
    shop.push_back({"0004_stock.sql", "CREATE TABLE stock (article INTEGER)"});

    const names all{"0001_articles", "0002_prices", "0003_names", "0004_stock"};
    BOOST_TEST(migrate() == all, boost::test_tools::per_element());

    BOOST_TEST(count("pg_index WHERE indisvalid AND indexrelid = 'names'::regclass") == 1);
    BOOST_TEST(count("heddle_migrations WHERE state = 'done'") == 4);
}

BOOST_AUTO_TEST_CASE(several_instances_do_not_wait_for_each_other_in_a_circle)
{
    if (skips())
        return;
    std::array<names, 3> ran;

    fiber::task_group::run([&](fiber::task_group& tasks) {
        for (auto& one : ran)
            tasks.start([&] { one = migrate(); });
        runtime.run_ready();
        runtime.advance(5s);
    });

    BOOST_TEST(ran[0].size() + ran[1].size() + ran[2].size() == 3U);
    BOOST_TEST(count("pg_index WHERE indisvalid AND indexrelid = 'names'::regclass") == 1);
}

BOOST_AUTO_TEST_CASE(a_file_that_failed_is_not_run_again_by_itself)
{
    if (skips())
        return;
    shop.front().text += "INSERT INTO articles VALUES (3, 'tea')";
    BOOST_CHECK_THROW(migrate(), db::error);

    BOOST_TEST(refuses("0003_names has begun, outside of a transaction, and not ended"), refusal());

    lane.script("DROP INDEX names; DELETE FROM articles WHERE id = 3; "
                "DELETE FROM heddle_migrations WHERE number = 3");
    BOOST_TEST(migrate() == names{"0003_names"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_pooler_that_lends_for_a_transaction_is_refused)
{
    if (skips())
        return;
    driver = std::make_shared<outside::driver>(
        db::postgres({.connection = services::postgres(), .transaction_pooling = true}));

    BOOST_TEST(refuses("needs a session"), refusal());
}

BOOST_AUTO_TEST_SUITE_END()
