// The starter on virtual time, over a SQLite file that may be away as a server may be.
#include "starter.hpp"

#include "orders.hpp"

#include <heddle/base/error.hpp>
#include <heddle/db/error.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/http/reply.hpp>
#include <heddle/testing/runtime.hpp>
#include <heddle/testing/temporary_directory.hpp>

#define BOOST_TEST_MODULE starter
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace db = heddle::db;
namespace http = heddle::http;
namespace testing = heddle::testing;

using namespace std::chrono_literals;

namespace {

class driver_that_is_away final : public db::driver
{
public:
    explicit driver_that_is_away(std::shared_ptr<db::driver> inner) : inner_(std::move(inner)) {}

    std::unique_ptr<db::session> open(db::access access) override
    {
        ++attempts;
        if (is_away)
            throw db::error(heddle::kind::unavailable, "it is away");
        return inner_->open(access);
    }
    bool writes_by_ticket() const noexcept override { return inner_->writes_by_ticket(); }
    void check(std::vector<std::string>& wrong) const override { inner_->check(wrong); }
    const std::string& name() const noexcept override { return inner_->name(); }

    bool is_away = true;
    int attempts = 0;

private:
    const std::shared_ptr<db::driver> inner_;
};

struct fixture
{
    testing::runtime runtime;
    testing::temporary_directory directory;
    std::shared_ptr<driver_that_is_away> driver =
        std::make_shared<driver_that_is_away>(db::sqlite({.path = directory.path("orders.db")}));
    app::settings settings{.sample_orders = 3};
    std::string ending; // of run()

    fixture()
    {
        settings.postgres.connection = "a server, which is waited for";
        settings.postgres.transaction_pooling = true; // which is not asked for its limits
    }

    void start(app::starter& starter)
    {
        runtime.spawn([&] {
            try {
                ending = starter.run() ? "prepared" : "stopped";
            } catch (const std::exception& failure) {
                ending = failure.what();
            }
        });
        runtime.run_ready();
    }

    static http::response ask(const app::starter& starter)
    {
        const auto pass_on = [](const http::request&) { return http::reply("answered"); };
        return starter.only_when_prepared()(http::get("/orders/1"), pass_on);
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(the_starter, fixture)

// FAULTS F03
BOOST_AUTO_TEST_CASE(asks_once_a_second_until_the_database_is_there)
{
    app::starter starter(driver, settings);
    start(starter);
    runtime.advance(10s);
    BOOST_TEST(driver->attempts >= 9);
    BOOST_TEST(driver->attempts <= 11);
    BOOST_TEST(ending == "");

    driver->is_away = false;
    runtime.advance(2s);

    BOOST_TEST(ending == "prepared");
    BOOST_TEST(orders::missing_tables(driver).empty());
}

BOOST_AUTO_TEST_CASE(lets_requests_in_when_it_is_prepared)
{
    app::starter starter(driver, settings);
    start(starter);

    const auto refused = ask(starter);

    BOOST_TEST(refused.status() == http::status::service_unavailable);
    BOOST_TEST(refused.header(http::field::retry_after) == "1");
    BOOST_TEST(refused.json<http::problem>().detail == starter.waits_for());
    driver->is_away = false;
    runtime.advance(2s);
    BOOST_TEST(starter.waits_for() == nullptr);
    BOOST_TEST(ask(starter).body() == "answered");
}

BOOST_AUTO_TEST_CASE(ends_at_once_when_it_is_stopped)
{
    app::starter starter(driver, settings);
    start(starter);

    starter.stop();
    runtime.run_ready();

    BOOST_TEST(ending == "stopped");
}

BOOST_AUTO_TEST_CASE(does_not_begin_when_it_was_stopped_before)
{
    app::starter starter(driver, settings);
    starter.stop();

    start(starter);

    BOOST_TEST(ending == "stopped");
    BOOST_TEST(driver->attempts == 0);
}

BOOST_AUTO_TEST_CASE(waits_for_tables_that_it_may_not_make)
{
    driver->is_away = false;
    settings.migrate_at_start = false;
    app::starter starter(driver, settings);
    start(starter);
    runtime.advance(10s);
    BOOST_REQUIRE(starter.waits_for() != nullptr);
    BOOST_TEST(starter.waits_for() == std::string("the database's tables are older than this program"));

    orders::create_tables(driver);
    runtime.advance(2s);

    BOOST_TEST(ending == "prepared");
}

BOOST_AUTO_TEST_CASE(ends_with_what_will_not_be_better)
{
    driver->is_away = false;
    {
        db::database database{{.driver = driver, .lanes = {{.name = "other"}}}};
        database.lane("other").script("CREATE TABLE orders (number INTEGER)");
    }
    app::starter starter(driver, settings);

    start(starter);

    BOOST_TEST(ending.find("another program's") != std::string::npos, ending);
    BOOST_TEST(starter.waits_for() != nullptr);
}

BOOST_AUTO_TEST_CASE(does_not_wait_for_the_directory_of_a_file)
{
    settings.postgres.connection.clear();
    settings.sqlite.path = directory.path("not/there.db");
    app::starter starter(driver, settings);

    start(starter);

    BOOST_TEST(ending == "database.path: there is no directory " + directory.path("not"));
}

// As `start = "fail"` does it.
BOOST_AUTO_TEST_CASE(fails_after_its_budget_where_it_is_asked_to_prepare_now)
{
    settings.start_budget = 3s;
    app::starter starter(driver, settings);
    runtime.spawn([&] {
        try {
            starter.prepare();
        } catch (const heddle::error& failure) {
            ending = "failed";
        }
    });

    runtime.advance(2s);
    BOOST_TEST(ending == "");
    runtime.advance(2s);
    BOOST_TEST(ending == "failed");
}

BOOST_AUTO_TEST_SUITE_END()
