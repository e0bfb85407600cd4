// A database on the throw-away PostgreSQL that services/with_postgres.py has started, under real threads.
// What happens on fibers is gathered there and checked on the test's own thread.
#pragma once

#include <heddle/db/database.hpp>
#include <heddle/db/error.hpp>
#include <heddle/db/postgres.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/fiber/task_group.hpp>

#include "services.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace db = heddle::db;
namespace fiber = heddle::fiber;
using namespace std::chrono_literals;

// How something ended: "returned", the kind of error, or what was thrown.
template <class F>
std::string ending_of(F&& f)
{
    try {
        f();
        return "returned";
    } catch (const heddle::overloaded&) {
        return "overloaded";
    } catch (const db::transaction_done&) {
        return "transaction_done";
    } catch (const db::row_error&) {
        return "row_error";
    } catch (const heddle::error& e) {
        static constexpr const char* names[] = {
            "overloaded",      "unavailable", "conflict",         "constraint", "deadline", "cancelled",
            "outcome_unknown", "upstream",    "upstream_timeout", "value",      "internal"};
        return names[static_cast<std::size_t>(e.kind())];
    } catch (const std::exception& e) {
        return e.what();
    }
}

// The message of what `f` throws, and its SQLSTATE; empty if it throws nothing.
struct failure
{
    std::string message;
    std::string code;
};

template <class F>
failure failure_in(F&& f)
{
    try {
        f();
    } catch (const db::error& e) {
        return {e.what(), e.code()};
    } catch (const std::exception& e) {
        return {e.what(), {}};
    }
    return {};
}

inline bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

inline int repeats(int brief, int full)
{
    const char* wanted = std::getenv("HEDDLE_REPEAT");
    return wanted && std::string_view(wanted) == "full" ? full : brief;
}

inline double milliseconds_since(fiber::time_point began)
{
    return std::chrono::duration<double, std::milli>(fiber::now() - began).count();
}

// Parks until another fiber has set the flag.
inline void wait_for(const std::atomic<bool>& flag)
{
    while (!flag)
        fiber::sleep_for(1ms);
}

struct postgres_fixture
{
    db::postgres_options server{.connection = services::postgres()};
    // Long budgets: where they are not what is tested, a slow machine must not run into them.
    fiber::pool_options pool{.size = 4, .acquire_budget = 30s, .connect_budget = 30s};

    // Runs `body` with a database that has the lanes "read" and "write".
    void with_database(const std::function<void(db::database&)>& body, unsigned workers = 2)
    {
        fiber::run({.workers = workers}, [&] {
            db::database database{{
                .driver = db::postgres(server),
                .pool = pool,
                .lanes = {{.name = "read", .running = 64, .waiting = 1000, .queue_wait = 30s},
                          {.name = "write", .running = 64, .waiting = 1000, .queue_wait = 30s}},
            }};
            body(database);
            at_rest = database.pool_statistics().active == 0 &&
                      database.lane("read").statistics().gate.in_flight == 0 &&
                      database.lane("write").statistics().gate.in_flight == 0;
            database.close(5s);
        });
    }

    // The same with one lane for both, and a table `items` that is empty.
    void with_items(const std::function<void(db::lane& reads, db::lane& writes)>& body)
    {
        with_database([&](db::database& database) {
            database.lane("write").script(
                "DROP TABLE IF EXISTS items; CREATE TABLE items (id BIGINT GENERATED ALWAYS "
                "AS IDENTITY PRIMARY KEY, name TEXT NOT NULL UNIQUE, price REAL)");
            body(database.lane("read"), database.lane("write"));
        });
    }

    bool at_rest = false; // every permit and lease came back
};

inline std::int64_t backend_of(db::lane& lane)
{
    return lane.one<std::int64_t>("SELECT pg_backend_pid()");
}
