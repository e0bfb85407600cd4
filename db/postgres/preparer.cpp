// A statement is parsed and described in one round trip, once; what the cache drops is freed at the server in
// batches.
#include "postgres/preparer.hpp"

#include <heddle/db/error.hpp>

#include "failure.hpp"
#include "postgres/errors.hpp"

#include <exception>
#include <utility>

namespace heddle::db::pg {

namespace {

// So many wait to be freed at the server: a round trip for each would cost more than they do.
constexpr std::size_t worth_a_round_trip = 32;

} // namespace

prepared& preparer::find(std::string_view text)
{
    auto* const known = kept_.find(text);
    was_kept_ = known != nullptr;
    if (known)
        return *known;
    auto fresh = prepare(text);
    if (capacity_ > 0)
        return kept_.insert(std::move(fresh));
    only_ = std::move(fresh);
    dropped_.clear(); // it has no name
    return *only_;
}

std::unique_ptr<prepared> preparer::prepare(std::string_view text)
{
    if (text.find('\0') != std::string_view::npos)
        throw error(kind::internal, "a statement's text has a NUL in it; give such values as parameters");
    if (is_transaction_control(text))
        throw error(kind::internal,
                    "refused inside a lane's transaction: BEGIN, COMMIT, ROLLBACK and SAVEPOINT are "
                    "the lane's, in: " +
                        std::string(text.substr(0, 200)));
    auto name = capacity_ == 0 ? std::string() : "heddle_" + std::to_string(++number_);
    auto description = describe(name, text);
    return std::make_unique<prepared>(dropped_, std::move(name), text, std::move(description));
}

// One round trip: it is parsed, and its types are asked for.
result preparer::describe(const std::string& name, std::string_view text)
{
    auto* const c = channel_.raw();
    const std::string sql(text);
    channel_.send(PQenterPipelineMode(c) && PQsendPrepare(c, name.c_str(), sql.c_str(), 0, nullptr) &&
                  PQsendDescribePrepared(c, name.c_str()) && PQpipelineSync(c));
    result failure;
    result description;
    const auto stopped = failure_of([&] {
        while (channel_.is_busy()) {
            auto r = channel_.next();
            const auto status = PQresultStatus(r.get());
            if (status == PGRES_FATAL_ERROR && r && !failure)
                failure = std::move(r);
            else if (status == PGRES_COMMAND_OK)
                description = std::move(r); // the second, in the end
        }
    });
    if (stopped) {
        if (!name.empty())
            dropped_.push_back(name); // the server may have it
        std::rethrow_exception(stopped);
    }
    if (failure && is_fatal(sqlstate_of(failure.get())))
        channel_.mark_broken();
    if (failure)
        fail(failure.get(), text);
    if (!description)
        throw error(kind::unavailable, reason_of(c));
    return description;
}

void preparer::forget_all() noexcept
{
    kept_.clear();
    dropped_.clear();
    all_forgotten_ = capacity_ > 0;
}

void preparer::tell_server()
{
    if (!all_forgotten_ && dropped_.size() < worth_a_round_trip)
        return;
    std::string sql;
    for (const auto& name : dropped_)
        sql += "DEALLOCATE " + name + ";";
    if (!all_forgotten_ && run(sql))
        return dropped_.clear();
    forget_all(); // the borrower has freed them himself, and nobody knows which others
    run("DEALLOCATE ALL");
    all_forgotten_ = false;
}

bool preparer::run(const std::string& sql)
{
    bool succeeded = true;
    channel_.send(PQsendQuery(channel_.raw(), sql.c_str()));
    while (const auto r = channel_.next())
        succeeded = succeeded && PQresultStatus(r.get()) == PGRES_COMMAND_OK;
    return succeeded;
}

} // namespace heddle::db::pg
