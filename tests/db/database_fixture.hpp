// A database in a file of its own for each test: lanes "read", "write" and "report", and a table of items.
#pragma once

#include <heddle/db/database.hpp>
#include <heddle/db/error.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/testing/runtime.hpp>
#include <heddle/testing/temporary_directory.hpp>

#include <boost/describe.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>

namespace db = heddle::db;
namespace fiber = heddle::fiber;
namespace testing = heddle::testing;
using namespace std::chrono_literals;

struct item
{
    std::int64_t id;
    std::string name;
    std::optional<double> price;
};
BOOST_DESCRIBE_STRUCT(item, (), (id, name, price))

// How something ended: its own word for success, or the kind of error.
template <class F>
std::string ending_of(F&& f)
{
    try {
        f();
    } catch (const heddle::overloaded& e) {
        switch (e.why()) {
        case heddle::overloaded::why::full:
            return "full";
        case heddle::overloaded::why::timed_out:
            return "timed_out";
        case heddle::overloaded::why::pool:
            return "pool";
        default:
            return "draining";
        }
    } catch (const db::transaction_done&) {
        return "transaction_done";
    } catch (const db::row_error&) {
        return "row_error";
    } catch (const heddle::error& e) {
        switch (e.kind()) {
        case heddle::kind::unavailable:
            return "unavailable";
        case heddle::kind::conflict:
            return "conflict";
        case heddle::kind::constraint:
            return "constraint";
        case heddle::kind::deadline:
            return "deadline";
        case heddle::kind::cancelled:
            return "cancelled";
        case heddle::kind::outcome_unknown:
            return "outcome_unknown";
        case heddle::kind::value:
            return "value";
        default:
            return "internal";
        }
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "something else";
    }
    return "returned";
}

// The message of what `f` throws; empty if it throws nothing.
template <class F>
std::string message_of(F&& f)
{
    try {
        f();
    } catch (const std::exception& e) {
        return e.what();
    }
    return {};
}

inline bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

struct database_fixture
{
    testing::runtime runtime;
    testing::temporary_directory directory;
    db::database database;
    db::lane& reads = database.lane("read");
    db::lane& writes = database.lane("write");

    explicit database_fixture(const std::function<void(db::database_options&)>& change = {})
        : database(options(change))
    {
        writes.script("CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, price REAL)");
    }

    db::database_options options(const std::function<void(db::database_options&)>& change) const
    {
        db::database_options options{
            .driver = db::sqlite({.path = directory.path("test.db"), .lock_budget = 2s}),
            .pool = {.size = 4, .acquire_budget = 500ms},
            .lanes = {{.name = "read", .running = 2, .waiting = 1, .queue_wait = 50ms},
                      {.name = "write", .running = 2, .waiting = 1, .queue_wait = 50ms},
                      {.name = "report"}},
        };
        if (change)
            change(options);
        return options;
    }

    void add(const std::string& name) { writes.run("INSERT INTO items (name) VALUES ($1)", name); }
    std::int64_t count() { return reads.one<std::int64_t>("SELECT count(*) FROM items"); }

    // Starts `f` on a fiber and notes in `ending` how it ended.
    void start(std::string& ending, std::function<void()> f)
    {
        runtime.spawn([&ending, f = std::move(f)] { ending = ending_of(f); });
    }

    // Every permit and lease has come back.
    bool is_at_rest()
    {
        bool rest = database.pool_statistics().active == 0;
        for (auto& lane : database.lanes())
            rest = rest && lane.statistics().gate.in_flight == 0 && lane.statistics().gate.queued == 0 &&
                   lane.gate().slots().available() == lane.gate().slots().capacity() &&
                   lane.gate().turns().available() == lane.gate().turns().capacity();
        return rest;
    }
};
