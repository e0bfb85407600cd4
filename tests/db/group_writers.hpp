// Many writers that add rows to one ledger, and what each of them may do to the others.
#pragma once

#include <heddle/db/database.hpp>
#include <heddle/db/error.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/fiber/task_group.hpp>
#include <heddle/testing/temporary_directory.hpp>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string_view>

namespace db = heddle::db;
namespace fiber = heddle::fiber;
using namespace std::chrono_literals;

constexpr int writers = 64;

inline int repeats(int brief, int full)
{
    const char* wanted = std::getenv("HEDDLE_REPEAT");
    return wanted && std::string_view(wanted) == "full" ? full : brief;
}

struct database_for_writers
{
    heddle::testing::temporary_directory directory;

    db::database_options options(db::sqlite_options sqlite) const
    {
        sqlite.path = directory.path("test.db");
        return {
            .driver = db::sqlite(sqlite),
            .pool = {.size = 2, .acquire_budget = 10s},
            .lanes = {{.name = "read", .running = 2},
                      {.name = "write", .running = writers, .waiting = writers, .queue_wait = 30s}},
        };
    }

    template <class Body>
    void with_database(const db::database_options& options, Body&& body) const
    {
        fiber::run({.workers = 3}, [&] {
            db::database database{options};
            database.lane("write").script(
                "CREATE TABLE ledger (id INTEGER PRIMARY KEY);"
                "CREATE TABLE children (parent INTEGER REFERENCES ledger DEFERRABLE INITIALLY DEFERRED);"
                "INSERT INTO ledger VALUES (0)");
            body(database);
            database.close(5s);
        });
    }
};

// What one writer does; it has put its row into the ledger before.
enum class deed
{
    nothing,
    yields,
    sleeps,
    throws_away,
    rolls_back_all,
    breaks_a_key,
    writes_long,
    count
};

inline void perform(deed what, db::transaction& tx)
{
    switch (what) {
    case deed::yields:
        return fiber::yield();
    case deed::sleeps:
        return fiber::sleep_for(300us);
    case deed::throws_away:
        throw std::runtime_error("no");
    case deed::rolls_back_all:
        tx.run("INSERT OR ROLLBACK INTO ledger VALUES (0)");
        return;
    case deed::breaks_a_key:
        tx.run("INSERT INTO children VALUES (-1)");
        return;
    case deed::writes_long:
        tx.run("INSERT INTO children WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
               "WHERE i < 2000) SELECT 0 FROM n");
        return;
    default:
        return;
    }
}

// What it is told.
enum class answer
{
    none,
    committed,
    refused,
    unknown,
};

inline answer add(db::lane& lane, std::int64_t id, deed what, bool group, fiber::duration limit)
{
    try {
        fiber::within(limit, [&] {
            lane.transaction({.group = group}, [&](db::transaction& tx) {
                tx.run("INSERT INTO ledger VALUES ($1)", id);
                perform(what, tx);
            });
        });
        return answer::committed;
    } catch (const db::commit_unknown&) {
        return answer::unknown;
    } catch (const std::exception&) {
        return answer::refused;
    }
}
