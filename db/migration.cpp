// Looks first, without a lock; then runs what is missing, some after the other, until nothing is.
#include <heddle/db/migration.hpp>

#include <heddle/base/error.hpp>
#include <heddle/db/database.hpp>
#include <heddle/db/error.hpp>
#include <heddle/fiber/scope.hpp>

#include "failure.hpp"
#include "migration_alone.hpp"
#include "migration_history.hpp"
#include "migration_turn.hpp"

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace heddle::db {

namespace migrating {

namespace {

// Changing a large table takes as long as it takes.
constexpr sql without_ceiling{.sqlite = "", .postgres = "SET LOCAL statement_timeout = 0"};

// What others have committed while it waited for the lock is seen behind it.
// It may take minutes: nobody who has finished is to wait for its COMMIT.
constexpr transaction_options read_committed{.isolation = isolation::read_committed, .group = false};

database_options options_of_one(const std::shared_ptr<driver>& driver, const migration_options& options)
{
    return {.driver = driver,
            .pool = {.name = "migrations",
                     .size = 1,
                     .acquire_budget = options.connect_budget,
                     .connect_budget = options.connect_budget},
            .lanes = {{.name = "migrations", .gate = false}}};
}

void run_in(transaction& tx, const step& one)
{
    try {
        tx.script(one.text);
    } catch (const commit_unknown&) {
        throw;
    } catch (const error& failure) {
        throw error(failure.kind(), one.full + ": " + failure.what(), failure.code());
    }
}

class migrator
{
public:
    migrator(const std::shared_ptr<driver>& driver, const std::vector<migration_file>& files,
             const migration_options& options)
        : driver_(driver),
          files_(files),
          options_(options),
          database_(options_of_one(driver, options)),
          lane_(database_.lane("migrations")),
          turn_(options.wait_budget)
    {
    }

    std::vector<std::string> missing()
    {
        return lane_.read([&](transaction& tx) {
            std::vector<std::string> names;
            for (auto& one : history(tx, files_, options_, others::possible).missing())
                names.push_back(std::move(one.full));
            return names;
        });
    }

    void run()
    {
        while (!is_complete())
            if (const auto next = run_some())
                run_one(*next);
    }

    void close()
    {
        constexpr auto budget = std::chrono::seconds(1);
        fiber::shield(budget, [&] { database_.close(budget); });
    }

    std::vector<std::string> ran; // in their order

private:
    bool is_complete()
    {
        return lane_.read(
            [&](transaction& tx) { return history(tx, files_, options_, others::possible).is_complete(); });
    }

    // Those before the first that runs alone. Returns that one's number.
    std::optional<std::int64_t> run_some()
    {
        std::vector<std::string> some;
        std::optional<std::int64_t> next;
        const bool had_lock = lane_.transaction(read_committed, [&](transaction& tx) {
            if (tx.one<std::int64_t>(try_to_lock) != 1)
                return false;
            tx.script(without_ceiling);
            history history(tx, files_, options_, others::locked_out);
            history.open();
            for (const auto& one : history.missing()) {
                if (one.alone) {
                    next = one.number;
                    break;
                }
                run_in(tx, one);
                history.note_done(one);
                some.push_back(one.full);
            }
            return true;
        });
        ran.insert(ran.end(), some.begin(), some.end());
        if (had_lock)
            turn_ = turn(options_.wait_budget); // what its own files have taken was no wait
        else
            turn_.wait();
        return next;
    }

    void run_one(std::int64_t number)
    {
        if (auto name = run_alone(driver_, files_, options_, number, turn_); !name.empty())
            ran.push_back(std::move(name));
    }

    const std::shared_ptr<driver>& driver_;
    const std::vector<migration_file>& files_;
    const migration_options& options_;
    database database_;
    lane& lane_;
    turn turn_;
};

} // namespace

} // namespace migrating

std::vector<std::string> pending_migrations(const std::shared_ptr<driver>& driver,
                                            const std::vector<migration_file>& files,
                                            const migration_options& options)
{
    migrating::migrator migrator(driver, files, options);
    std::vector<std::string> names;
    const auto failure = failure_of([&] { names = migrator.missing(); });
    migrator.close();
    if (failure)
        std::rethrow_exception(failure);
    return names;
}

std::vector<std::string> migrate(const std::shared_ptr<driver>& driver,
                                 const std::vector<migration_file>& files, const migration_options& options)
{
    migrating::migrator migrator(driver, files, options);
    const auto failure = failure_of([&] { migrator.run(); });
    migrator.close();
    if (failure)
        std::rethrow_exception(failure);
    return std::move(migrator.ran);
}

} // namespace heddle::db
