// The way of one operation, in the order in which it happens: gate, pool, begin, body, commit or rollback,
// and everything back before the caller sees the result. It stands here once, for every database.
#include <heddle/db/lane.hpp>

#include <heddle/base/error.hpp>
#include <heddle/db/error.hpp>
#include <heddle/fiber/scope.hpp>

#include "connections.hpp"
#include "failure.hpp"

#include <exception>
#include <utility>

namespace heddle::db {

namespace {

fiber::gate_options gate_options_of(const lane_options& options)
{
    return {.name = options.name,
            .running = options.running,
            .waiting = options.waiting,
            .queue_wait = options.queue_wait};
}

// Before the body has begun nothing was done, so the request's time being over is an overload: 503, not 504.
[[noreturn]] void refuse(const std::exception_ptr& failure, const std::string& lane)
{
    try {
        std::rethrow_exception(failure);
    } catch (const deadline_exceeded&) {
        throw overloaded(overloaded::why::timed_out,
                         "lane " + lane + ": the time was over before the work began");
    }
}

// What has become of the data decides, not what the body threw: it may have committed, and gone on.
outcome outcome_of(const transaction& tx, bool has_failed) noexcept
{
    if (tx.is_unknown())
        return outcome::unknown;
    return has_failed && !tx.is_committed() ? outcome::failed : outcome::committed;
}

bool is_conflict(const std::exception_ptr& failure)
{
    if (!failure)
        return false;
    try {
        std::rethrow_exception(failure);
    } catch (const heddle::error& e) {
        return e.kind() == kind::conflict;
    } catch (...) {
        return false;
    }
}

// Nothing that a borrower left may reach the next one.
void tidy(fiber::lease<session>& lease)
{
    if (failure_of([&] { lease->reset(); }) || !lease->healthy())
        lease.mark_broken();
}

} // namespace

// Measures the stages of one operation and books it when it has ended, however and wherever it ended.
class lane::operation
{
public:
    explicit operation(db::meter& meter) noexcept
        : meter_(meter), stage_(&record_.gate_wait), began_(fiber::now())
    {
    }
    ~operation()
    {
        end_stage();
        meter_.book(record_);
    }
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;

    // From now on the time counts as `stage`, and an error means `outcome`.
    void enter(fiber::duration operation_record::*stage, db::outcome outcome) noexcept
    {
        end_stage();
        stage_ = &(record_.*stage);
        record_.outcome = outcome;
    }

    operation_record& record() noexcept { return record_; }

private:
    void end_stage() noexcept
    {
        const auto now = fiber::now();
        *stage_ += now - std::exchange(began_, now);
    }

    db::meter& meter_;
    operation_record record_; // refused, as long as nothing else is known
    fiber::duration* stage_;
    fiber::time_point began_;
};

lane::lane(const lane_options& options, db::connections& connections)
    : options_(options), connections_(connections)
{
    if (options_.gate)
        gate_.emplace(gate_options_of(options_));
}

void lane::operate(const begin_options& options, const body_ref& body, int retries)
{
    connections_.require_none_held();
    operation operation{meter_};
    auto& record = operation.record();
    auto permit = gate_ ? gate_->enter() : fiber::gate::permit{};

    operation.enter(&operation_record::pool_wait, outcome::pool);
    auto lease = connections_.acquire(options.access);

    operation.enter(&operation_record::hold, outcome::not_begun);
    const auto held = connections_.hold();
    std::exception_ptr failure;
    {
        const fiber::reclaimable may_be_ended{lease};
        failure = attempt(lease, options, body, record);
        while (retries-- > 0 && record.outcome == outcome::failed && is_conflict(failure) && lease->healthy())
            if (failure_of([&] { failure = attempt(lease, options, body, record); }))
                break; // it has not begun again: what ended the attempt before is the answer
    }

    tidy(lease);
    lease.release(); // before the permit: whoever is let in next finds a connection
    permit.release();
    if (failure)
        std::rethrow_exception(failure);
}

// Returns what the body or its end has thrown; what a begin throws goes on.
std::exception_ptr lane::attempt(fiber::lease<session>& lease, const begin_options& options,
                                 const body_ref& body, operation_record& record) const
{
    begin(lease, options, record);
    session& session = *lease; // to the end, also when the lease is taken back meanwhile
    db::transaction transaction{session, options, record.statement, &lease};
    auto failure = transaction.conduct(body);
    record.outcome = outcome_of(transaction, failure != nullptr);
    record.lock_wait += session.lock_wait();
    return failure;
}

void lane::begin(fiber::lease<session>& lease, const begin_options& options, operation_record& record) const
{
    session& session = *lease;
    const auto failure = failure_of([&] {
        fiber::scope::check_current();
        session.begin(options);
    });
    if (!failure)
        return;
    record.lock_wait += session.lock_wait();
    if (!session.healthy())
        lease.mark_broken();
    refuse(failure, options_.name);
}

void lane::refuse_empty_body() const
{
    throw heddle::error(kind::internal, "lane " + options_.name + ": the body is an empty function");
}

void lane::script(const statement_text& text)
{
    // A change of tables may take long: nobody who has finished is to wait for it.
    conduct({.access = access::write, .group = false}, [&](db::transaction& tx) { tx.script(text); });
}

lane_statistics lane::statistics() const noexcept
{
    return {
        .gate = gate_ ? gate_->statistics() : fiber::gate_statistics{},
        .committed = meter_.of(outcome::committed).value(),
        .failed = meter_.of(outcome::failed).value(),
        .unknown = meter_.of(outcome::unknown).value(),
        .pool = meter_.of(outcome::pool).value(),
        .not_begun = meter_.of(outcome::not_begun).value(),
        .gate_wait = meter_.gate_wait().read(),
        .pool_wait = meter_.pool_wait().read(),
        .hold = meter_.hold().read(),
        .statement = meter_.statement().read(),
        .lock_wait = meter_.lock_wait().read(),
    };
}

} // namespace heddle::db
