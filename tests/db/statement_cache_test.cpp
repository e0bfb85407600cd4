// The bounded cache of prepared statements, without a database.
#include "statement_cache.hpp"

#define BOOST_TEST_MODULE statement_cache
#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace db = heddle::db;

namespace {

struct kept_statement
{
    std::string sql;
    bool open = false;
    std::string_view text() const noexcept { return sql; }
    bool is_open() const noexcept { return open; }
};

} // namespace

BOOST_AUTO_TEST_SUITE(statement_cache)

BOOST_AUTO_TEST_CASE(drops_the_one_not_used_for_longest)
{
    db::statement_cache<kept_statement> cache{2};
    const auto insert = [&](const char* text) -> kept_statement& {
        return cache.insert(std::make_unique<kept_statement>(kept_statement{text}));
    };
    insert("a");
    insert("b");
    cache.find("a");
    insert("c");

    BOOST_TEST(cache.find("a"));
    BOOST_TEST(!cache.find("b"));
    BOOST_TEST(cache.find("c"));
    BOOST_TEST(cache.size() == 2U);
}

BOOST_AUTO_TEST_CASE(never_drops_an_open_one)
{
    db::statement_cache<kept_statement> cache{1};
    auto& open = cache.insert(std::make_unique<kept_statement>(kept_statement{"open"}));
    open.open = true;
    cache.insert(std::make_unique<kept_statement>(kept_statement{"other"}));

    BOOST_TEST(cache.find("open") == &open);
}

BOOST_AUTO_TEST_SUITE_END()
