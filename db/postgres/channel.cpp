// Sends, waits and reads for one connection; and stops, and awaits, a statement whose request has ended.
#include "postgres/channel.hpp"

#include <heddle/db/error.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>

#include "postgres/errors.hpp"

#include <array>
#include <chrono>
#include <cstring>
#include <new>
#include <utility>

namespace heddle::db::pg {

namespace {

// What is on its way comes within this time; a cancel costs the server a process.
constexpr auto rest_is_near = std::chrono::milliseconds(5);

// A cancel that comes before its statement does nothing. Whether one has is seen by what happens next.
constexpr auto cancel_again = std::chrono::milliseconds(30);

[[noreturn]] void throw_ended()
{
    fiber::scope::check_current();
    throw cancelled(); // the runtime ends
}

bool is_copy(ExecStatusType status) noexcept
{
    return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

bool is_commit(const PGresult* r) noexcept
{
    const char* const tag = r ? PQcmdStatus(const_cast<PGresult*>(r)) : "";
    return std::strcmp(tag, "COMMIT") == 0 || std::strcmp(tag, "PREPARE TRANSACTION") == 0;
}

void drop_notifications(PGconn* c) noexcept
{
    while (auto* const one = PQnotifies(c))
        PQfreemem(one);
}

} // namespace

channel::channel(connection_handle connected, helpers& cancels, channel_options options)
    : cancels_(cancels),
      options_(options),
      connection_(std::move(connected)),
      watch_(std::in_place, PQsocket(raw()), true),
      cancel_(PQgetCancel(raw()), PQfreeCancel)
{
    if (!cancel_ || PQsetnonblocking(raw(), 1) != 0)
        throw std::bad_alloc();
    PQsetNoticeReceiver(
        raw(), [](void*, const PGresult*) {}, nullptr); // libpq would print them
}

void channel::send(int accepted)
{
    if (accepted == 0) {
        broken_ = true;
        throw error(PQstatus(raw()) == CONNECTION_BAD ? kind::unavailable : kind::internal, reason_of(raw()));
    }
    if (!busy_) {
        interrupted_.store(false, std::memory_order_relaxed); // it was meant for an earlier statement
        commit_seen_ = false;
        may_be_unread_ = false; // whatever comes for this is yet to come
    }
    busy_ = true;
    // A lost connection shows when the result is asked for.
    while (PQflush(raw()) == 1)
        if (watch_->wait(fiber::direction::write) != fiber::wake::notified) {
            give_up(); // half a message is out: the server waits for the rest, and nothing else can be said
                       // to it
            throw_ended();
        }
}

channel::waited channel::wait_for_result(bool heeds_interrupt)
{
    while (PQisBusy(raw()) && PQstatus(raw()) != CONNECTION_BAD) {
        if (heeds_interrupt && interrupted_.load())
            return waited::interrupted;
        if (!wait_for_input())
            return waited::scope_ended;
        if (PQconsumeInput(raw()) == 0) {
            broken_ = true;
            break; // what PQgetResult says now is why
        }
    }
    drop_notifications(raw());
    return waited::ready;
}

// What an edge has announced is not announced again, and libpq reads no more than it has room for. Of TLS or
// GSS it may hold the end of a record that the socket no longer has: so it is asked once more, mostly in vain
// (PostgreSQL's own records are smaller than the room that there always is).
// False: the scope has ended first.
bool channel::wait_for_input()
{
    if (may_be_unread_ && watch_->has_data()) {
        fiber::yield(); // a result without an end must not keep the worker from others
        const auto* const scope = fiber::scope::current();
        return !scope || !scope->has_ended();
    }
    if (std::exchange(may_be_unread_, false) && (PQsslInUse(raw()) != 0 || PQgssEncInUse(raw()) != 0))
        return true;
    may_be_unread_ = watch_->wait(fiber::direction::read) == fiber::wake::notified;
    return may_be_unread_;
}

// What PQgetResult has for us, without waiting. In a pipeline each statement's results end with an empty one,
// which says nothing here.
result channel::take()
{
    result r{PQgetResult(raw())};
    commit_seen_ = commit_seen_ || is_commit(r.get());
    const bool in_pipeline = PQpipelineStatus(raw()) != PQ_PIPELINE_OFF;
    if (in_pipeline && PQresultStatus(r.get()) == PGRES_PIPELINE_SYNC) {
        busy_ = false;
        PQexitPipelineMode(raw());
    } else if (!in_pipeline && !r) {
        busy_ = false;
    }
    if (PQstatus(raw()) == CONNECTION_BAD) {
        broken_ = true;
        busy_ = busy_ && r != nullptr;
    }
    return r;
}

result channel::next()
{
    while (busy_) {
        const auto* const scope = fiber::scope::current();
        const auto outcome = scope && scope->has_ended() ? waited::scope_ended : wait_for_result(true);
        if (outcome != waited::ready) {
            stop();
            if (outcome == waited::scope_ended)
                throw_ended();
            throw error(kind::unavailable, "the statement was interrupted");
        }
        if (auto r = take())
            return r;
    }
    return nullptr;
}

// libpq says "the command has ended" at once, and then takes the mode for what comes next.
void channel::begin_rows() noexcept
{
    if (PQpipelineStatus(raw()) == PQ_PIPELINE_OFF)
        return; // all of it has been read, and was an error
    PQclear(PQgetResult(raw()));
    PQsetSingleRowMode(raw());
}

std::optional<result> channel::next_to_the_end()
{
    while (busy_) {
        if (wait_for_result(false) != waited::ready)
            return std::nullopt;
        if (auto r = take())
            return r;
    }
    return result{};
}

// Reads all results and forgets them. False if the scope has ended first, or they do not end.
bool channel::drain()
{
    while (busy_) {
        const auto r = next_to_the_end();
        if (!r || is_copy(PQresultStatus(r->get())))
            return false;
    }
    return true;
}

void channel::abandon()
{
    if (!busy_ || broken_)
        return;
    {
        const fiber::shielded_scope a_moment{rest_is_near};
        if (drain())
            return;
    }
    stop();
}

// Both ends are awaited, the statement's and the cancel's: a cancel that is still under way would hit
// whatever runs here next.
void channel::stop()
{
    if (broken_)
        return give_up();
    const fiber::shielded_scope own_time{options_.stop_budget};
    std::shared_ptr<helpers::job> cancel;
    bool ended = false;
    auto arrived = job_outcome::succeeded;
    while (!ended && arrived == job_outcome::succeeded &&
           fiber::scope::remaining() > fiber::duration::zero()) {
        cancel = start_cancel();
        arrived = cancel ? wait_for(*cancel) : job_outcome::failed;
        const fiber::scope a_while{{.deadline = fiber::after(cancel_again)}};
        ended = drain();
    }
    if (ended && arrived == job_outcome::succeeded)
        return;
    if (ended)
        return give_up();
    lose();
    lost_cancel_ = std::move(cancel);
}

// Returns: nothing if no thread is to be had.
std::shared_ptr<helpers::job> channel::start_cancel() noexcept
{
    try {
        return cancels_.start([cancel = cancel_] {
            std::array<char, 256> reason;
            return PQcancel(cancel.get(), reason.data(), reason.size()) == 1;
        });
    } catch (...) {
        return nullptr;
    }
}

void channel::give_up() noexcept
{
    broken_ = true;
    silent_ = true;
    busy_ = false;
}

void channel::lose() noexcept
{
    give_up();
    lost_until_ = fiber::after(options_.lost_after);
}

void channel::interrupt() noexcept
{
    interrupted_.store(true);
    watch_->disturb();
}

void channel::close()
{
    connection_.reset(); // says goodbye without waiting
    if (lost_until_ != fiber::time_point{})
        find_lost();
    else if (!silent_)
        watch_->wait_for_end();
    watch_.reset();
}

// Until the server is seen to have ended, which it does once the statement has been stopped, or its last one
// (a COMMIT is not) has ended; or the runtime ends.
void channel::find_lost()
{
    const auto* const outside = fiber::scope::current();
    const fiber::shielded_scope as_long_as_it_counts{lost_until_ - fiber::now()};
    while (fiber::scope::remaining() > fiber::duration::zero() && !(outside && outside->is_cancelled())) {
        const fiber::scope a_while{{.deadline = fiber::after(cancel_again)}};
        if (lost_cancel_ && wait_for(*lost_cancel_) == job_outcome::unknown)
            continue;
        if (watch_->wait_for_end())
            return;
        if (lost_cancel_)
            lost_cancel_ = start_cancel();
    }
}

} // namespace heddle::db::pg
