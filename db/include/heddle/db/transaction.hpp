// One transaction, as its body sees it: statements in, complete values out. It is committed when the body
// returns and rolled back when the body throws.
#pragma once

#include <heddle/db/complete.hpp>
#include <heddle/db/driver.hpp>
#include <heddle/db/reading.hpp>
#include <heddle/db/row.hpp>
#include <heddle/db/sql.hpp>
#include <heddle/fiber/pool.hpp>

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::db {

class transaction;

// A reference to something callable with a transaction; costs two words and no allocation.
class body_ref
{
public:
    template <class F>
    explicit body_ref(F& f) noexcept
        : function_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
          call_([](void* function, transaction& tx) { (*static_cast<F*>(function))(tx); })
    {
    }

    void operator()(transaction& tx) const { call_(function_, tx); }

private:
    void* function_;
    void (*call_)(void*, transaction&);
};

// Used by the body's fiber only, and not after the body has returned.
// Every function that runs a statement
// Parks: in the database, and while it waits for a lock.
// Throws: db::error, row_error, transaction_done; deadline_exceeded, cancelled.
class transaction
{
public:
    // Made by lanes, and by nested(). `statement_time` collects how long the statements took; `lease`, which
    // may be taken back meanwhile, is told what they are.
    transaction(db::session& session, const begin_options& options, fiber::duration& statement_time,
                const fiber::lease<db::session>* lease = nullptr) noexcept
        : session_(session), options_(options), statement_time_(statement_time), lease_(lease)
    {
    }
    transaction(const transaction&) = delete;
    transaction& operator=(const transaction&) = delete;

    // All rows.
    template <class T, class... Parameters>
    std::vector<T> query(const statement_text& text, const Parameters&... parameters)
    {
        static_assert(complete_value<T>, "rows are read into complete values: no pointers, views or db::row");
        const std::array<value, sizeof...(Parameters)> values{codec<Parameters>::encode(parameters)...};
        const statement_timer timer{statement_time_};
        const open_cursor rows = execute(text, values);
        return all_rows<T>(*rows);
    }

    // The row, if there is one. More than one is a row_error.
    template <class T, class... Parameters>
    std::optional<T> find(const statement_text& text, const Parameters&... parameters)
    {
        static_assert(complete_value<T>, "rows are read into complete values: no pointers, views or db::row");
        const std::array<value, sizeof...(Parameters)> values{codec<Parameters>::encode(parameters)...};
        const statement_timer timer{statement_time_};
        const open_cursor rows = execute(text, values);
        return row_if_any<T>(*rows, text.in(session_.dialect()));
    }

    // The one row there must be.
    template <class T, class... Parameters>
    T one(const statement_text& text, const Parameters&... parameters)
    {
        static_assert(complete_value<T>, "rows are read into complete values: no pointers, views or db::row");
        const std::array<value, sizeof...(Parameters)> values{codec<Parameters>::encode(parameters)...};
        const statement_timer timer{statement_time_};
        const open_cursor rows = execute(text, values);
        return one_row<T>(*rows, text.in(session_.dialect()));
    }

    // Several that do not need each other's results, in one round trip where the database can take them so.
    // They are run in their order, and end at the first that fails.
    template <class... Results>
    std::tuple<Results...> together(const reading<Results>&... readings)
    {
        const statement_timer timer{statement_time_};
        const std::array<statement_call, sizeof...(Results)> calls{call_of(readings)...};
        send_ahead(calls);
        return {take(readings)...}; // in this order, as braces have it
    }

    template <class Result>
    std::vector<Result> together(const std::vector<reading<Result>>& readings)
    {
        const statement_timer timer{statement_time_};
        std::vector<statement_call> calls;
        calls.reserve(readings.size());
        for (const auto& one : readings)
            calls.push_back(call_of(one));
        send_ahead(calls);
        std::vector<Result> results;
        results.reserve(readings.size());
        for (const auto& one : readings)
            results.push_back(take(one));
        return results;
    }

    // Calls `f` with each row as it comes; never all of them in memory. T may be db::row.
    template <class T, class F, class... Parameters>
    void for_each(F&& f, const statement_text& text, const Parameters&... parameters)
    {
        const std::array<value, sizeof...(Parameters)> values{codec<Parameters>::encode(parameters)...};
        statement_timer timer{statement_time_};
        open_cursor rows = execute(text, values);
        const rows_in_use in_use{*this, rows};
        bool more = rows->next();
        const row_reader<T> reader(*rows);
        while (more) {
            auto row = reader.read(*rows);
            timer.stop();
            f(std::as_const(row));
            timer.start();
            require_open();
            more = rows->next();
        }
    }

    // For statements without rows. Returns how many rows were inserted, updated or deleted.
    template <class... Parameters>
    std::int64_t run(const statement_text& text, const Parameters&... parameters)
    {
        const std::array<value, sizeof...(Parameters)> values{codec<Parameters>::encode(parameters)...};
        return run_values(text, values);
    }

    // The same with as many parameters as the program likes: `$1` is parameters[0].
    std::int64_t run_values(const statement_text& text, std::span<const value> parameters);

    // Several statements in one text, without parameters.
    void script(const statement_text& text);

    // Runs `body` with a transaction inside this one (a savepoint): if it throws, only what it did is undone.
    template <class Body>
    auto nested(Body&& body)
    {
        using result = std::invoke_result_t<Body&, transaction&>;
        static_assert(complete_value<result>, "only complete values leave a transaction");
        if constexpr (std::is_void_v<result>) {
            auto call = [&](transaction& tx) { body(tx); }; // also where the body is a function
            conduct_nested(body_ref{call});
        } else {
            std::optional<result> value;
            auto keep = [&](transaction& tx) { value.emplace(body(tx)); };
            conduct_nested(body_ref{keep});
            return *std::move(value);
        }
    }

    // Ends the transaction before its body does. Nothing more may run in it.
    // Throws: transaction_done if it has ended already.
    void commit();
    void rollback();

    // Called by lanes and by nested(), after the session's begin: the body, then commit or rollback.
    // Returns what was thrown: the rollback is over by then.
    std::exception_ptr conduct(const body_ref& body);

    db::dialect dialect() const noexcept { return session_.dialect(); }

    bool is_open() const noexcept { return state_ == state::open; }
    bool is_committed() const noexcept { return state_ == state::committed; }
    bool is_unknown() const noexcept { return state_ == state::unknown; } // it may have been committed

private:
    enum class state
    {
        open,
        committed,
        rolled_back,
        unknown, // a COMMIT was sent, and its answer lost
    };

    // Rows whose reader is at work: it may end the transaction, and then they are closed before that, while
    // the connection is still this transaction's.
    class rows_in_use
    {
    public:
        rows_in_use(transaction& tx, open_cursor& rows) noexcept
            : tx_(tx), rows_(rows), outer_(std::exchange(tx.rows_, this))
        {
        }
        ~rows_in_use() { tx_.rows_ = outer_; }
        rows_in_use(const rows_in_use&) = delete;
        rows_in_use& operator=(const rows_in_use&) = delete;

    private:
        friend transaction;

        transaction& tx_;
        open_cursor& rows_;
        rows_in_use* const outer_;
    };

    // Adds the time between start and stop, however a statement ends.
    class statement_timer
    {
    public:
        explicit statement_timer(fiber::duration& total) noexcept : total_(total) { start(); }
        ~statement_timer() { stop(); }
        statement_timer(const statement_timer&) = delete;
        statement_timer& operator=(const statement_timer&) = delete;

        void start() noexcept
        {
            started_ = fiber::now();
            runs_ = true;
        }
        void stop() noexcept
        {
            if (std::exchange(runs_, false))
                total_ += fiber::now() - started_;
        }

    private:
        fiber::duration& total_;
        fiber::time_point started_;
        bool runs_ = false;
    };

    template <class Result>
    statement_call call_of(const reading<Result>& one) const noexcept
    {
        return {one.text().in(session_.dialect()), one.values()};
    }

    template <class Result>
    Result take(const reading<Result>& one)
    {
        const open_cursor rows = execute(one.text(), one.values());
        return one.read(*rows, one.text().in(session_.dialect()));
    }

    void send_ahead(std::span<const statement_call> calls);
    open_cursor execute(const statement_text& text, std::span<const value> parameters);
    void conduct_nested(const body_ref& body);
    void require_open() const;
    template <class F>
    void end_by(F&& f);
    void finish();
    std::exception_ptr undo(const std::exception_ptr& failure);
    void close_rows() noexcept;

    db::session& session_;
    begin_options options_;
    fiber::duration& statement_time_;
    const fiber::lease<db::session>* const lease_;
    state state_ = state::open;
    rows_in_use* rows_ = nullptr; // the innermost
    bool nested_ = false;         // a savepoint: committing it commits nothing yet
    bool inner_open_ = false;     // a nested transaction runs: this one waits for it
};

} // namespace heddle::db
