// A database of one connection and one lane without a gate, over the driver of the served one.
#include "prober.hpp"

#include <heddle/base/error.hpp>
#include <heddle/base/log.hpp>
#include <heddle/fiber/scope.hpp>

#include <cstdint>
#include <exception>
#include <utility>

namespace app {

namespace db = heddle::db;
namespace fiber = heddle::fiber;

namespace {

db::database_options database_of_one(const prober_options& options)
{
    return {
        .driver = options.driver,
        .pool = {.name = "readiness",
                 .size = 1,
                 .acquire_budget = options.budget,
                 .connect_budget = options.budget,
                 .max_idle = fiber::duration::zero()},
        .lanes = {{.name = "readiness", .gate = false}},
    };
}

} // namespace

prober::prober(prober_options options) : options_(std::move(options)), database_(database_of_one(options_)) {}

void prober::run(ticker& ticks)
{
    while (ticks.wait(options_.interval))
        note(ask());
    database_.close(options_.budget);
}

// Returns why there was no answer; empty: there was one.
std::string prober::ask()
{
    try {
        fiber::within(options_.budget,
                      [this] { database_.lane("readiness").one<std::int64_t>(options_.question); });
    } catch (const heddle::cancelled&) {
        throw;
    } catch (const std::exception& failure) {
        return failure.what();
    }
    return {};
}

// One line for each change of the verdict, however long an outage lasts.
void prober::note(const std::string& failure)
{
    const bool is_ready = failure.empty();
    if (ready_.exchange(is_ready, std::memory_order_relaxed) == is_ready)
        return;
    if (is_ready)
        heddle::log::info("ready: the database answers again");
    else
        heddle::log::warn("not ready: the database does not answer", {{"cause", failure}});
}

} // namespace app
