// A pool of one connection waits for the database: it tries once a second at most, and has two lines in the
// log for an outage.
//
// Also for a password that is wrong and a database that is not there: roles and databases are made after
// their server, by others, and secrets are changed in two places. A process that ends is started again, and
// has then said the same, more often.
#include "starter.hpp"

#include "capacity.hpp"
#include "orders.hpp"
#include "sample_orders.hpp"

#include <heddle/base/error.hpp>
#include <heddle/base/log.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/http/reply.hpp>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <mutex>
#include <string>
#include <utility>

namespace app {

namespace db = heddle::db;
namespace fiber = heddle::fiber;
namespace http = heddle::http;

namespace {

constexpr const char* the_database = "the database cannot be had";
constexpr const char* the_work = "the database is being prepared";
constexpr const char* a_migration = "the database's tables are older than this program";

// Longer than anybody waits.
constexpr fiber::duration any_time = 24h * 365;

constexpr fiber::duration between_attempts = 1s;

// The tables are to be made, and not by us.
class behind : public heddle::error
{
public:
    explicit behind(const std::vector<std::string>& missing)
        : error(heddle::kind::unavailable,
                "the database's tables are older than this program, and it may not change them: " +
                    missing.front() + (missing.size() > 1 ? " and others have" : " has") +
                    " not run; see heddle migrate, and database.migrate_at_start")
    {
    }
};

bool may_be_better_next_time(heddle::kind which)
{
    using heddle::kind;
    return which == kind::unavailable || which == kind::overloaded || which == kind::conflict ||
           which == kind::deadline || which == kind::outcome_unknown;
}

// A file is not waited for: SQLite makes it, but not its directory, and does not take another file for it.
void require_file(db::driver& driver, const settings& with)
{
    if (!with.postgres.connection.empty())
        return;
    const auto directory = std::filesystem::path(with.sqlite.path).parent_path();
    std::error_code failed;
    if (!directory.empty() && !std::filesystem::is_directory(directory, failed))
        throw heddle::config_error("database.path: there is no directory " + directory.string());
    driver.open(db::access::read)->close(); // not over a pool, which would try again and tell the log only
}

db::database_options options_of_one(std::shared_ptr<db::driver> driver, const settings& with,
                                    fiber::duration budget)
{
    return {.driver = std::move(driver),
            .pool = {.name = "start",
                     .size = 1,
                     .acquire_budget = budget,
                     .connect_budget = std::min<fiber::duration>(budget, with.pool.connect_budget)},
            .lanes = {{.name = "start", .gate = false}}};
}

} // namespace

starter::starter(std::shared_ptr<db::driver> driver, const settings& with)
    : driver_(std::move(driver)), with_(with), waits_for_(the_database)
{
}

void starter::prepare()
{
    attempt(with_.start_budget);
}

bool starter::run()
{
    fiber::scope mine{{}};
    {
        const std::scoped_lock lock(mutex_);
        if (stopped_)
            return false;
        running_ = &mine;
    }
    std::exception_ptr failure;
    try {
        attempt_until_done();
    } catch (...) {
        failure = std::current_exception();
    }
    const fiber::shielded_scope own_time{any_time};
    const std::scoped_lock lock(mutex_);
    running_ = nullptr;
    if (failure && !stopped_)
        std::rethrow_exception(failure);
    return !failure;
}

void starter::stop()
{
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    if (running_)
        running_->cancel();
}

void starter::attempt_until_done()
{
    std::string said;
    while (waits_for()) {
        std::string cause;
        try {
            attempt(any_time);
        } catch (const behind& failure) {
            waits_for_ = a_migration;
            cause = failure.what();
        } catch (const heddle::error& failure) {
            if (!may_be_better_next_time(failure.kind()))
                throw;
            waits_for_ = the_database;
            cause = failure.what();
        }
        if (!waits_for()) {
            heddle::log::info("ready");
            return;
        }
        if (cause != said) // the same one is one line, however long it lasts
            heddle::log::warn("not ready: the database could not be prepared", {{"cause", cause}});
        said = std::move(cause);
        fiber::sleep_for(between_attempts);
    }
}

void starter::attempt(fiber::duration budget)
{
    require_file(*driver_, with_);
    db::database database(options_of_one(driver_, with_, budget));
    std::exception_ptr failure;
    try {
        attempt_over(database.lane("start"));
    } catch (...) {
        failure = std::current_exception();
    }
    fiber::shield(with_.pool.close_budget, [&] { database.close(with_.pool.close_budget); });
    if (failure)
        std::rethrow_exception(failure);
    waits_for_ = nullptr;
}

void starter::attempt_over(db::lane& lane)
{
    lane.one<std::int64_t>("SELECT 1");
    if (waits_for() == the_database)
        waits_for_ = the_work;
    make_tables();
    orders::require_tables(lane);
    require_capacity(lane, with_); // said once, not by each attempt
    if (orders::fill(lane, {.orders = with_.sample_orders}))
        heddle::log::info("generated a new database",
                          {{"database", driver_->name()}, {"orders", std::to_string(with_.sample_orders)}});
}

void starter::make_tables()
{
    if (!with_.migrate_at_start) {
        if (const auto missing = orders::missing_tables(driver_); !missing.empty())
            throw behind(missing);
        return;
    }
    for (const auto& name : orders::create_tables(driver_))
        heddle::log::info("the database's tables were changed", {{"file", name}});
}

http::middleware starter::only_when_prepared() const
{
    return [this](const http::request& req, const http::handler& next) {
        const auto* const reason = waits_for();
        if (!reason)
            return next(req);
        auto refusal = http::reply(http::problem{http::status::service_unavailable, reason});
        refusal.set_header(http::field::retry_after, "1");
        return refusal;
    };
}

} // namespace app
