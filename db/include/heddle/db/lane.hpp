// A lane is the only way to a connection: its gate decides who may run, its database's pool lends the
// connection, and what runs is a whole transaction, committed or rolled back before its result is seen.
#pragma once

#include <heddle/db/meter.hpp>
#include <heddle/db/transaction.hpp>
#include <heddle/fiber/gate.hpp>
#include <heddle/fiber/pool.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::db {

class connections;

struct lane_options
{
    std::string name;
    std::int64_t running = 4;                                    // operations at once; at least 1
    std::int64_t waiting = 16;                                   // that may queue for their turn
    fiber::duration queue_wait = std::chrono::milliseconds(100); // longest wait in the queue
    bool gate = true; // false: the pool's bounded wait is the only limit
};

struct transaction_options
{
    db::isolation isolation = isolation::standard;
    bool deferrable = false;
    bool group = true; // false: SQLite's COMMIT is for this one alone, see sqlite_options
    int retries = 0;   // runs the body again, from the beginning, after a conflict with another transaction
};

struct lane_statistics
{
    fiber::gate_statistics gate; // full, timed_out and cancelled, apart; running and queued now
    std::uint64_t committed = 0;
    std::uint64_t failed = 0;
    std::uint64_t unknown = 0;
    std::uint64_t pool = 0;
    std::uint64_t not_begun = 0;
    histogram::snapshot gate_wait;
    histogram::snapshot pool_wait;
    histogram::snapshot hold;
    histogram::snapshot statement;
    histogram::snapshot lock_wait;
};

// Made by its database, and lives as long.
//
// Every function that runs something returns after the commit and after the connection's return.
// Parks: for the gate (`queue_wait`), for a connection (`acquire_budget`), in the database.
// Throws: overloaded, before anything was done; db::error; what the body throws, after the rollback;
// row_error, transaction_done, commit_unknown; deadline_exceeded from the body's first line on; cancelled;
// error if this fiber, or one that waits for it, has a connection of this database already.
class lane
{
public:
    lane(const lane_options& options, db::connections& connections);
    lane(const lane&) = delete;
    lane& operator=(const lane&) = delete;

    // Runs `body(db::transaction&)` in a transaction that may write.
    template <class Body>
    auto transaction(Body&& body)
    {
        return conduct({.access = access::write}, body);
    }

    template <class Body>
    auto transaction(const transaction_options& options, Body&& body)
    {
        return conduct(begin_options_of(access::write, options), body, options.retries);
    }

    // Runs `body(db::transaction&)` over one unchanging state of the database.
    template <class Body>
    auto read(Body&& body)
    {
        return conduct({.access = access::read}, body);
    }

    template <class Body>
    auto read(const transaction_options& options, Body&& body)
    {
        return conduct(begin_options_of(access::read, options), body, options.retries);
    }

    // What needs no transaction around it. These read:
    template <class T, class... Parameters>
    std::vector<T> query(const statement_text& text, const Parameters&... parameters)
    {
        return conduct(one_read, [&](db::transaction& tx) { return tx.query<T>(text, parameters...); });
    }

    template <class T, class... Parameters>
    std::optional<T> find(const statement_text& text, const Parameters&... parameters)
    {
        return conduct(one_read, [&](db::transaction& tx) { return tx.find<T>(text, parameters...); });
    }

    template <class T, class... Parameters>
    T one(const statement_text& text, const Parameters&... parameters)
    {
        return conduct(one_read, [&](db::transaction& tx) { return tx.one<T>(text, parameters...); });
    }

    template <class T, class F, class... Parameters>
    void for_each(F&& f, const statement_text& text, const Parameters&... parameters)
    {
        conduct(one_read, [&](db::transaction& tx) { tx.for_each<T>(f, text, parameters...); });
    }

    // Several reads that do not need each other's results, in one round trip where the database can take them
    // so. Each may see another state of the database: for one state of it, use together() inside of read().
    template <class... Results>
    std::tuple<Results...> together(const reading<Results>&... readings)
    {
        return conduct(one_read, [&](db::transaction& tx) { return tx.together(readings...); });
    }

    template <class Result>
    std::vector<Result> together(const std::vector<reading<Result>>& readings)
    {
        return conduct(one_read, [&](db::transaction& tx) { return tx.together(readings); });
    }

    // These write:
    template <class... Parameters>
    std::int64_t run(const statement_text& text, const Parameters&... parameters)
    {
        return conduct(one_write, [&](db::transaction& tx) { return tx.run(text, parameters...); });
    }

    void script(const statement_text& text);

    const std::string& name() const noexcept { return options_.name; }
    // The gate, to look at and for tests to hold. Not in a lane with `gate = false`.
    fiber::gate& gate() noexcept { return *gate_; }
    operator fiber::gate&() noexcept { return *gate_; }

    const db::meter& meter() const noexcept { return meter_; }
    lane_statistics statistics() const noexcept;

private:
    class operation;

    static constexpr begin_options one_read{.access = access::read, .stand_alone = true};
    static constexpr begin_options one_write{.access = access::write, .stand_alone = true};

    template <class Body>
    auto conduct(const begin_options& options, Body&& body, int retries = 0)
    {
        using result = std::invoke_result_t<Body&, db::transaction&>;
        static_assert(complete_value<result>, "only complete values leave a transaction: no reference, "
                                              "pointer, view, row, cursor or connection");
        if constexpr (requires { body == nullptr; })
            if (body == nullptr)
                refuse_empty_body();
        if constexpr (std::is_void_v<result>) {
            auto call = [&](db::transaction& tx) { body(tx); }; // also where the body is a function
            operate(options, body_ref{call}, retries);
        } else {
            std::optional<result> value;
            auto keep = [&](db::transaction& tx) { value.emplace(body(tx)); };
            operate(options, body_ref{keep}, retries);
            return *std::move(value);
        }
    }

    static begin_options begin_options_of(access access, const transaction_options& options) noexcept
    {
        return {.access = access,
                .isolation = options.isolation,
                .deferrable = options.deferrable,
                .group = options.group};
    }

    void operate(const begin_options& options, const body_ref& body, int retries);
    std::exception_ptr attempt(fiber::lease<session>& lease, const begin_options& options,
                               const body_ref& body, operation_record& record) const;
    [[noreturn]] void refuse_empty_body() const;
    void begin(fiber::lease<session>& lease, const begin_options& options, operation_record& record) const;

    const lane_options options_;
    db::connections& connections_;
    std::optional<fiber::gate> gate_;
    db::meter meter_;
};

} // namespace heddle::db
