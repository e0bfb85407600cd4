#include <heddle/http/answer.hpp>

#include <heddle/base/error.hpp>
#include <heddle/base/log.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/http/problem.hpp>
#include <heddle/http/reply.hpp>

#include <chrono>
#include <exception>
#include <string>

namespace heddle::http {
namespace {

enum class blame
{
    nobody,
    us,
    upstream
};

// What was thrown, copied out of the catch block: nothing may park in there.
struct verdict
{
    http::problem problem;
    std::chrono::seconds retry_after{0}; // 0: the client is not told to come back
    std::string cause;                   // for the log only: it may name tables, hosts and files
    blame fault = blame::nobody;
    bool abandoned = false;
};

// A problem with a type of its own. The type says more than the status does, and stays the same for ever.
problem typed(const char* type, const char* title, status status, const char* detail)
{
    problem made(status, detail);
    made.type = type;
    made.title = title;
    return made;
}

problem partly_done()
{
    return typed("urn:heddle:partly-done", "Partly done", status::internal_server_error,
                 "a part of this request was written before the rest failed; do not repeat it blindly");
}

problem commit_unknown()
{
    return typed("urn:heddle:commit-unknown", "Outcome unknown", status::internal_server_error,
                 "the database did not say whether the data were written; ask before repeating the request");
}

const char* text_of(enum overloaded::why why) noexcept
{
    switch (why) {
    case overloaded::why::full:
        return "too many requests are running and waiting";
    case overloaded::why::timed_out:
        return "the request waited for its turn as long as it may";
    case overloaded::why::pool:
        return "no connection to the database was free in time";
    case overloaded::why::draining:
        return "the server is about to stop";
    }
    return "";
}

verdict judge_kind(const error& e)
{
    using namespace std::chrono_literals;
    const char* const come_back = "nothing was done; try again later";

    switch (e.kind()) {
    case kind::overloaded:
        return {problem(status::service_unavailable, come_back), 1s};
    case kind::unavailable:
        return {problem(status::service_unavailable, come_back), 1s, e.what(), blame::us};
    case kind::conflict:
        return {typed("urn:heddle:conflict", "Conflict with another request", status::service_unavailable,
                      "another request changed the same data; nothing was written, try again"),
                1s};
    case kind::constraint:
        return {problem(status::conflict, "the data break a rule of the database")};
    case kind::deadline:
        return {problem(status::gateway_timeout, "the time for this request was over"), 0s, e.what(),
                blame::us};
    case kind::cancelled:
        return {{}, 0s, {}, blame::nobody, true};
    case kind::outcome_unknown:
        return {commit_unknown(), 0s, e.what(), blame::us};
    case kind::upstream:
        return {problem(status::bad_gateway, "a service behind this one failed"), 0s, e.what(),
                blame::upstream};
    case kind::upstream_timeout:
        return {problem(status::gateway_timeout, "a service behind this one did not answer in time"), 0s,
                e.what(), blame::upstream};
    case kind::value:
        return {problem::unreadable("", "has a value that cannot be represented")};
    case kind::internal:
        break;
    }
    return {problem(status::internal_server_error, ""), 0s, e.what(), blame::us};
}

// An undo that failed is told to nobody but the log, whatever the answer is: the cause goes with it.
verdict with_failed_undo(verdict v, const error& e)
{
    if (!e.failed_undo().empty()) {
        v.cause = e.what() + ("; and then " + e.failed_undo());
        v.fault = blame::us;
    }
    return v;
}

void log_failure(const request& req, const verdict& v)
{
    const log::fields fields = {{"status", std::to_string(v.problem.status)},
                                {"request_id", std::string(req.request_id())},
                                {"route", std::string(req.route())},
                                {"cause", v.cause}};
    if (v.fault == blame::us && v.problem.status == 500)
        log::error("request failed", fields);
    else
        log::warn("request failed", fields);
}

response build(const request& req, verdict v)
{
    const fiber::scope* const scope = fiber::scope::current();
    const bool wrote = scope && scope->has_committed();
    const bool may_have_written = scope && scope->has_unknown_commit();
    if (v.abandoned) {
        if (v.fault != blame::nobody)
            log_failure(req, v);
        response nobody_waits(status::internal_server_error);
        nobody_waits.set_abandoned();
        return nobody_waits;
    }
    if (wrote || may_have_written) {
        if (v.cause.empty())
            v.cause = v.problem.detail;
        v.problem = wrote ? partly_done() : commit_unknown();
        v.retry_after = {};
        v.fault = blame::us;
    }
    if (v.fault != blame::nobody)
        log_failure(req, v);
    v.problem.request_id = req.request_id();
    response made = reply(v.problem);
    if (v.retry_after.count() > 0)
        made.set_header(field::retry_after, std::to_string(v.retry_after.count()));
    return made;
}

verdict judge(const std::exception_ptr& failure)
{
    using namespace std::chrono_literals;
    try {
        std::rethrow_exception(failure);
    } catch (const overloaded& e) {
        return with_failed_undo({problem(status::service_unavailable, text_of(e.why())), e.retry_after()}, e);
    } catch (const rejected& e) {
        return {e.problem()};
    } catch (const error& e) {
        return with_failed_undo(judge_kind(e), e);
    } catch (const std::exception& e) {
        return {problem(status::internal_server_error, ""), 0s, e.what(), blame::us};
    } catch (...) {
        return {problem(status::internal_server_error, ""), 0s, "an exception of no known type", blame::us};
    }
}

} // namespace

response answer(const request& req, response (*call)(const void*, const request&), const void* argument)
{
    std::exception_ptr failure;
    try {
        return call(argument, req);
    } catch (...) {
        failure = std::current_exception();
    }
    return build(req, judge(failure));
}

} // namespace heddle::http
