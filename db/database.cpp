// Checks what a database is built from, all of it before any of it is used, and builds it.
#include <heddle/db/database.hpp>

#include <heddle/base/error.hpp>
#include <heddle/base/log.hpp>

#include "connections.hpp"

#include <algorithm>
#include <string>

namespace heddle::db {

namespace {

using complaints = std::vector<std::string>;

void check_lane(const lane_options& lane, complaints& wrong)
{
    const auto field = [&](const char* name) { return "lane \"" + lane.name + "\": " + name; };
    if (lane.name.empty())
        wrong.push_back(field("it has no name"));
    if (lane.running < 1)
        wrong.push_back(field("running") + " is " + std::to_string(lane.running) + "; it must be at least 1");
    if (lane.waiting < 0)
        wrong.push_back(field("waiting") + " is " + std::to_string(lane.waiting) +
                        "; it must not be negative");
    constexpr auto most = fiber::semaphore::max_capacity;
    if (lane.running > most || lane.waiting > most - std::max<std::int64_t>(lane.running, 0))
        wrong.push_back(field("running and waiting together are too many"));
    if (lane.queue_wait < fiber::duration::zero())
        wrong.push_back(field("queue_wait is negative"));
}

void check_lanes(const std::vector<lane_options>& lanes, complaints& wrong)
{
    if (lanes.empty())
        wrong.push_back("there is no lane; a connection is reached only through one");
    for (auto lane = lanes.begin(); lane != lanes.end(); ++lane) {
        check_lane(*lane, wrong);
        const auto same = [&](const lane_options& other) { return other.name == lane->name; };
        if (std::find_if(lanes.begin(), lane, same) != lane)
            wrong.push_back("lane \"" + lane->name + "\": there are two of this name");
    }
}

void check(const database_options& options)
{
    complaints wrong;
    if (options.driver)
        options.driver->check(wrong);
    else
        wrong.push_back("driver is missing");
    for (const auto& fault : fiber::faults_in(options.pool))
        wrong.push_back("pool." + fault);
    check_lanes(options.lanes, wrong);
    if (wrong.empty())
        return;
    std::string all = "database: ";
    for (const auto& one : wrong)
        all += (&one == &wrong.front() ? "" : "; ") + one;
    throw config_error(all);
}

// How many operations the lanes let run together.
std::int64_t running_together(const database_options& options)
{
    std::int64_t sum = 0;
    for (const auto& lane : options.lanes)
        sum += lane.gate ? lane.running : options.pool.size;
    return std::min(sum, fiber::semaphore::max_capacity);
}

// Allowed, but then it is the pool's wait that shows under load and not the lanes'.
void name_overbooking(const database_options& options)
{
    const auto together = running_together(options);
    if (!options.driver->writes_by_ticket() && together > options.pool.size)
        log::info("the lanes let more operations run than the pool has connections",
                  {{"database", options.driver->name()},
                   {"running", std::to_string(together)},
                   {"pool_size", std::to_string(options.pool.size)}});
}

} // namespace

database::database(database_options options)
{
    check(options);
    if (options.pool.name == fiber::pool_options{}.name)
        options.pool.name = options.driver->name();
    name_overbooking(options);
    connections_ = std::make_unique<connections>(options.driver, options.pool, running_together(options));
    for (const auto& lane : options.lanes)
        lanes_.emplace_back(lane, *connections_);
}

database::~database() = default;

lane& database::lane(std::string_view name)
{
    std::string names;
    for (auto& lane : lanes_) {
        if (lane.name() == name)
            return lane;
        names += (names.empty() ? "" : ", ") + lane.name();
    }
    throw config_error("there is no lane \"" + std::string(name) + "\"; there are: " + names);
}

fiber::pool_statistics database::pool_statistics() const noexcept
{
    return connections_->pool().statistics();
}

group_statistics database::groups() const noexcept
{
    return connections_->driver().groups();
}

void database::suspend() noexcept
{
    connections_->suspend();
}

void database::resume() noexcept
{
    connections_->resume();
}

void database::clear() noexcept
{
    connections_->clear();
}

void database::resize(std::int64_t size)
{
    connections_->resize(size);
}

void database::close(fiber::duration grace)
{
    connections_->close(grace);
}

} // namespace heddle::db
