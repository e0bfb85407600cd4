// Statements of one borrower in one round trip: libpq's pipeline, with a sync behind each portion. The server
// takes a portion outside of an explicit transaction for one implicit transaction, which is why only reads
// are sent like that.
#include "postgres/connection.hpp"

#include <heddle/db/error.hpp>

#include "failure.hpp"

#include <exception>
#include <utility>
#include <vector>

namespace heddle::db::pg {

void connection::send_ahead(std::span<const statement_call> calls)
{
    finish_rows();
    if (calls.size() < 2 || options_.transaction_pooling) // there statements have no names to be sent by
        return;
    require_alive();
    ahead_ = prepare_ahead(calls);
}

// Each text once. None of them may be dropped by the next one's coming.
ahead connection::prepare_ahead(std::span<const statement_call> calls)
{
    std::vector<ahead_statement> statements;
    statements.reserve(calls.size());
    const auto failure = failure_of([&] {
        for (const auto& call : calls) {
            auto& how = prepare(call.sql);
            how.set_open(true);
            dirty_ = dirty_ || how.is_dirtying();
            statements.push_back({call, &how, preparer_.was_kept()});
        }
    });
    for (const auto& one : statements)
        one.how->set_open(false); // nothing else is prepared before they have been read or forgotten
    if (failure)
        std::rethrow_exception(failure);
    return ahead(std::move(statements));
}

// The result of the next one, which is sent now with all that fit into its portion, if it has not been. All
// parameters are looked at before the first is sent: what does not fit is an error here.
open_cursor connection::next_ahead()
{
    int opening = 0;
    if (const auto portion = ahead_.portion(); !portion.empty()) {
        const auto failure = failure_of([&] { opening = send_portion(portion); });
        if (failure) {
            ahead_.clear();
            std::rethrow_exception(failure);
        }
    }
    const auto& next = ahead_.take();
    rows_.take(next, opening, ahead_.has_more_in_flight());
    return open_cursor{&rows_};
}

// Returns: how many results come before theirs.
int connection::send_portion(std::span<const ahead_statement> portion)
{
    std::vector<parameters> bound(portion.size());
    for (std::size_t i = 0; i < portion.size(); ++i)
        bound[i].bind(portion[i].call.parameters, portion[i].how->parameters(), portion[i].call.sql);

    auto* const c = channel_.raw();
    int sent = PQenterPipelineMode(c);
    int opening = 0;
    if (sent && is_opening()) {
        opening = send_opening(c);
        sent = opening > 0;
    }
    for (std::size_t i = 0; sent && i < portion.size(); ++i)
        sent = PQsendQueryPrepared(c, portion[i].how->name().c_str(), bound[i].count(), bound[i].values(),
                                   bound[i].lengths(), bound[i].formats(), portion[i].how->is_binary());
    channel_.send(sent && PQpipelineSync(c));
    return opening;
}

} // namespace heddle::db::pg
