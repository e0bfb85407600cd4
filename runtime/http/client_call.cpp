#include "http/client_call.hpp"

#include <heddle/base/error.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/net/error.hpp>

#include "http/redirect.hpp"

#include <array>
#include <utility>

namespace heddle::http {

namespace {

constexpr std::size_t dropped_at_once = 4 * 1024; // bytes
constexpr std::size_t worth_dropping = 64 * 1024; // bytes: less than a new connection costs
constexpr fiber::duration longest_drain = std::chrono::milliseconds(100); // a new connection costs no more

// Source: RFC 9110 §9.2.2.
bool is_idempotent(std::string_view method) noexcept
{
    return method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE" ||
           method == "OPTIONS";
}

url destination(const std::optional<origin>& base, const request& req)
{
    if (!base) {
        if (auto absolute = parse_url(req.target()))
            return *std::move(absolute);
        throw error(kind::internal, "a client without an origin of its own needs an absolute target");
    }
    if (req.target() == req.raw_path() || req.target().starts_with('/'))
        return {*base, std::string(req.target())};
    std::string target(req.raw_path());
    if (!req.raw_query().empty())
        target.append("?").append(req.raw_query());
    return {*base, std::move(target)};
}

} // namespace

// The answer's body as the caller reads it.
class client_call::reading final : public body_source
{
public:
    reading(client_call& call, client_connection& on) : call_(call), connection_(on) {}

    std::size_t read_some(std::span<char> into) override
    {
        return call_.ours([&] {
            return call_.limited(call_.client_.options.read_stall, "the answer's body stopped coming",
                                 [&] { return connection_.receive_body(into); });
        });
    }

private:
    client_call& call_;
    client_connection& connection_;
};

client_call::client_call(client_parts& client, const request& req, const upload* body,
                         const client::consumer& use)
    : client_(client),
      request_(req),
      upload_(body),
      reads_body_(!body && req.body_origin().source != nullptr),
      use_(use)
{
    out_.request = &req;
    out_.to = destination(client.base, req);
    out_.method = req.method_text();
}

void client_call::run()
{
    client_.counters.requests.add();
    client_.budget.note_request();
    while (!hop()) {
    }
}

// One origin's part. Returns whether it was the last.
bool client_call::hop()
{
    const auto to = ours([&] { return client_.upstreams.at(out_.to.origin); });
    const auto permit = ours([&] { return to->gate.enter(); });
    for (;;) {
        auto lease = ours([&] { return connect(*to); });
        std::exception_ptr failure;
        const auto head = ours([&] { return try_once(*lease, failure); });
        if (head && is_redirected(*head)) {
            drain(*lease);
            return false;
        }
        if (head) {
            reading body(*this, *lease);
            use_(head->answer, body);
            return true;
        }
        if (!may_retry(*lease))
            ours([&] { std::rethrow_exception(failure); });
    }
}

// A connection, or the reason why it could not be opened, which is found at its beginning.
fiber::lease<client_connection> client_call::connect(upstream& at)
{
    try {
        return at.pool.acquire();
    } catch (const overloaded&) {
    } catch (const error& e) {
        if (e.kind() != kind::unavailable)
            throw;
        throw error(kind::upstream, e.what());
    }
    fiber::scope::check_current();
    throw error(kind::upstream_timeout, "there was no connection in time");
}

// Nothing if the connection broke, which may lead to another try.
std::optional<received_head> client_call::try_once(client_connection& on, std::exception_ptr& failure)
{
    const auto begin = fiber::now();
    std::exception_ptr unsent;
    try {
        on.begin();
        unsent = send(on);
        received_head head = receive(on);
        client_.counters.answer_time.record(fiber::now() - begin);
        client_.counters.answered[static_cast<unsigned>(head.answer.status()) / 100 - 1].add();
        return head;
    } catch (const net::broken&) {
        if (foreign_)
            throw;
        failure = unsent ? unsent : std::current_exception();
    }
    return std::nullopt;
}

received_head client_call::receive(client_connection& on)
{
    return limited(client_.options.answer_budget, "it did not answer in time",
                   [&] { return on.receive_head(out_.method == "HEAD"); });
}

bool client_call::may_retry(const client_connection& failed)
{
    if (failed.has_answer_begun() || streams_body() || !is_idempotent(out_.method))
        return false;
    if (failed.is_reused() && !std::exchange(was_stale_, true)) {
        client_.counters.stale.add();
        return true;
    }
    if (retries_ == client_.options.retries)
        return false;
    const bool granted = client_.budget.try_take();
    (granted ? client_.counters.retries : client_.counters.retries_refused).add();
    retries_ += granted;
    return granted;
}

bool client_call::is_redirected(const received_head& head)
{
    if (client_.options.max_redirects == 0)
        return false;
    auto next = follow(out_, head.answer,
                       {.to_other_origins = client_.options.redirects_to_other_origins,
                        .body_can_be_repeated = !streams_body()});
    if (!next)
        return false;
    if (redirects_ == client_.options.max_redirects)
        ours([&] {
            throw error(kind::upstream, "it redirects more than " + std::to_string(redirects_) + " times");
        });
    ++redirects_;
    client_.counters.redirects.add();
    out_ = *std::move(next);
    return true;
}

// What is left of a redirect's body, if it is little: so that the connection can be kept.
void client_call::drain(client_connection& on)
{
    if (!on.is_worth_draining(worth_dropping))
        return;
    std::array<char, dropped_at_once> dropped;
    try {
        fiber::within(longest_drain, [&] {
            for (std::size_t count = 0; count < worth_dropping && !on.is_body_complete();)
                count += on.receive_body(dropped);
        });
    } catch (const error&) { // not kept, then; a scope that has ended says so at the next step
    }
}

// Tells a time that was the upstream's from one that was the caller's.
template <class F>
std::invoke_result_t<F> client_call::limited(fiber::duration budget, const char* late, F&& f)
{
    try {
        return fiber::within(budget, std::forward<F>(f));
    } catch (const deadline_exceeded&) {
    }
    fiber::scope::check_current();
    throw error(kind::upstream_timeout, late);
}

// What is thrown inside is counted, and says where it comes from.
template <class F>
std::invoke_result_t<F> client_call::ours(F&& f)
{
    try {
        return f();
    } catch (const error& e) {
        fail(e);
    }
}

// Called in a catch block.
void client_call::fail(const error& e)
{
    if (foreign_)
        throw; // somebody else's failure, who has named and counted it
    client_counters& counters = client_.counters;
    switch (e.kind()) {
    case kind::upstream:
        counters.failed.add();
        break;
    case kind::upstream_timeout:
        counters.timed_out.add();
        break;
    case kind::overloaded:
        counters.overloaded.add();
        throw;
    case kind::deadline:
    case kind::cancelled:
        counters.ended.add();
        throw;
    default:
        throw;
    }
    throw error(e.kind(), to_string(out_.to.origin) + ": " + e.what());
}

} // namespace heddle::http
