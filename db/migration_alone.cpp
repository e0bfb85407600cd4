// Over a session of its own, as lanes have transactions only. The session holds the lock, so that the file is
// locked for as long as it runs, and not longer than its process lives.
#include "migration_alone.hpp"

#include <heddle/base/error.hpp>
#include <heddle/db/row.hpp>
#include <heddle/fiber/scope.hpp>

#include "failure.hpp"
#include "migration_history.hpp"

#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::db::migrating {

namespace {

class alone
{
public:
    alone(session& session, const std::vector<migration_file>& files, const migration_options& options)
        : session_(session), files_(files), options_(options)
    {
    }

    std::string run(std::int64_t number, const turn& turn)
    {
        execute("SET default_transaction_read_only = off");
        execute("SET statement_timeout = 0");
        execute("SET lock_timeout = 0"); // nobody queues behind what it waits for
        while (!has_lock())
            turn.wait();
        const auto mine = begin(number);
        if (!mine)
            return {};
        execute(mine->text);
        in_transaction([&](history& history) { history.note_done(*mine); }, others::possible);
        return mine->full;
    }

private:
    // Returns nothing if it has been run.
    std::optional<step> begin(std::int64_t number)
    {
        std::optional<step> mine;
        in_transaction(
            [&](history& history) {
                for (auto& one : history.missing())
                    if (one.number == number)
                        history.note_begun(mine.emplace(std::move(one)));
            },
            others::locked_out);
        return mine;
    }

    void execute(std::string_view sql)
    {
        const open_cursor rows = session_.execute(sql, {});
        while (rows->next()) {
        }
    }

    bool has_lock()
    {
        const open_cursor rows = session_.execute(try_to_lock_session, {});
        return rows->next() && row_reader<std::int64_t>(*rows).read(*rows) == 1;
    }

    template <class F>
    void in_transaction(F&& f, others others)
    {
        constexpr begin_options begin{.access = access::write, .isolation = isolation::read_committed};
        session_.begin(begin);
        fiber::duration time{};
        transaction tx(session_, begin, time);
        const auto body = [&](transaction& inside) {
            history history(inside, files_, options_, others);
            f(history);
        };
        if (const auto failure = tx.conduct(body_ref{body}))
            std::rethrow_exception(failure);
    }

    session& session_;
    const std::vector<migration_file>& files_;
    const migration_options& options_;
};

} // namespace

std::string run_alone(const std::shared_ptr<driver>& driver, const std::vector<migration_file>& files,
                      const migration_options& options, std::int64_t number, const turn& turn)
{
    if (!driver->keeps_sessions())
        refuse({"number " + std::to_string(number) +
                " runs outside of a transaction, and needs a session: " + "run it past the pooler"});
    const auto session = fiber::within(options.connect_budget, [&] { return driver->open(access::write); });
    std::string mine;
    const auto failure = failure_of([&] { mine = alone(*session, files, options).run(number, turn); });
    failure_of([&] { // what has been done is done all the same
        fiber::shield(std::chrono::seconds(1), [&] { session->close(); });
    });
    if (failure)
        std::rethrow_exception(failure);
    return mine;
}

} // namespace heddle::db::migrating
