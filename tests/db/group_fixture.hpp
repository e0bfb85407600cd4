// Writers that queue behind one another, so that they share a COMMIT.
#pragma once

#include "database_fixture.hpp"

#include <heddle/fiber/scope.hpp>

#include <deque>
#include <functional>
#include <string>
#include <utility>

struct group_fixture : database_fixture
{
    using body = std::function<void(db::transaction&)>;

    std::deque<std::string> endings; // of those queued, in that order; empty while one has not ended

    explicit group_fixture(const std::function<void(db::sqlite_options&)>& change = {})
        : database_fixture([this, change](db::database_options& options) {
              db::sqlite_options sqlite{.path = directory.path("test.db"), .lock_budget = 2s};
              if (change)
                  change(sqlite);
              options.driver = db::sqlite(sqlite);
              options.lanes[1] = {.name = "write", .running = 32, .waiting = 0};
          })
    {
    }

    // Has the turn for 1 ms, for others to queue behind it. The first member of the group, and 1 ms later the
    // oldest that waits.
    std::string& queue_starter()
    {
        return queue([](db::transaction& tx) {
            tx.run("INSERT INTO items (name) VALUES ('starter')");
            fiber::sleep_for(1ms);
        });
    }

    std::string& queue(body f, const db::transaction_options& options = {}, fiber::duration limit = 1h)
    {
        auto& ending = endings.emplace_back();
        start(ending, [this, f = std::move(f), options, limit] {
            fiber::within(limit, [&] { writes.transaction(options, [&](db::transaction& tx) { f(tx); }); });
        });
        runtime.run_ready();
        return ending;
    }

    static body adding(const std::string& name)
    {
        return [name](db::transaction& tx) { tx.run("INSERT INTO items (name) VALUES ($1)", name); };
    }

    static body taking(fiber::duration time)
    {
        return [time](db::transaction&) { fiber::sleep_for(time); };
    }

    std::string names()
    {
        return reads
            .one<std::optional<std::string>>(
                "SELECT group_concat(name, ' ') FROM (SELECT name FROM items ORDER BY id)")
            .value_or("");
    }

    // COMMITs since the table was made.
    std::uint64_t commits() const { return database.groups().groups - 1; }
};
