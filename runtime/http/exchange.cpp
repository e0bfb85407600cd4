#include "http/exchange.hpp"

#include <heddle/fiber/scope.hpp>
#include <heddle/http/answer.hpp>
#include <heddle/http/problem.hpp>
#include <heddle/http/reply.hpp>
#include <heddle/net/tls_stream.hpp>

#include "http/head_search.hpp"
#include "http/reset_watch.hpp"
#include "http/token.hpp"

#include <algorithm>

namespace heddle::http {

namespace {

constexpr std::size_t most_lingering = 64 * 1024 * 1024; // bytes that are read and dropped after a refusal
constexpr std::chrono::milliseconds most_lingering_in_drain{500};

// In absolute form, of the other scheme.
bool is_https(std::string_view target) noexcept
{
    constexpr std::string_view scheme = "https:";
    return !target.starts_with('/') && same_name(target.substr(0, scheme.size()), scheme);
}

request_body::origin body_origin(wire_body& body, const framing& framing)
{
    request_body::origin from{.source = &body, .is_encoded = framing.is_encoded};
    if (framing.body == framing::body_kind::sized)
        from.length = framing.length;
    return from;
}

} // namespace

void exchange::begin(net::stream& stream, service& service, std::string_view peer, const half_head& half,
                     const net::tls_stream* secure)
{
    stream_ = &stream;
    secure_ = secure;
    service_ = &service;
    peer_ = peer;
    out_.open(stream, service.state.options.send_budget);
    input_.assign(half.bytes);
    examined_ = half.examined;
    since_ = half.since;
    has_served_ = false;
}

void exchange::end() noexcept
{
    out_.forget();
    request_.clear();
}

exchange::next exchange::step()
{
    const std::size_t header_limit = service_->state.options.header_limit;
    for (;;) {
        if (input_.unread().size() > 2 && input_.unread().starts_with("\r\n")) {
            input_.consume(2); // an empty line before a request is allowed. Source: RFC 9112 section 2.2
            examined_ = 0;
        }
        const head_search head = find_head_end(input_.unread(), examined_);
        if (head.found == head_search::state::complete && head.size <= header_limit)
            return serve(head.size);
        client_ = {};
        if (head.found == head_search::state::malformed)
            return refuse(status::bad_request);
        if (input_.unread().size() >= header_limit)
            return refuse(status::request_header_fields_too_large);
        examined_ = head.size;
        out_.flush();
        const std::ptrdiff_t count = stream_->try_read_some(input_.room());
        if (count == 0)
            return next::close;
        if (count < 0) {
            note_beginning();
            return next::rest;
        }
        input_.added(static_cast<std::size_t>(count));
    }
}

exchange::next exchange::serve(std::size_t head_size)
{
    const server_options& options = service_->state.options;
    const parse_limits limits{.fields = options.field_limit, .target = options.target_limit};
    request_.clear();
    const parsed_head head = parse_head(input_.unread().substr(0, head_size), limits, request_);
    input_.consume(head_size);
    examined_ = 0;
    since_ = {};
    has_served_ = true;
    service_->state.counters.requests.add();
    client_ = {.version = request_.version(),
               .is_head = request_.method() == verb::head,
               .keep_alive = head.keep_alive};
    client_closes_ = !head.keep_alive;
    notice_draining();
    if (head.framing.refusal != status::ok)
        return refuse(head.framing.refusal);
    if (!secure_ && is_https(request_.target()))
        return refuse(status::misdirected_request); // Source: RFC 9110 section 7.4
    body_.begin(*stream_, head.framing);
    if (!body_.is_complete())
        request_.set_body(body_origin(body_, head.framing), options.body_limit);
    request_.set_peer(peer_);
    if (secure_)
        request_.set_secure(secure_->peer_subject());
    const bool counts = is_limited();
    return counts && !admit() ? refuse_overloaded() : run(counts);
}

// The scope ends with the handler: an answer that comes late still goes out, in send_budget.
exchange::next exchange::run(bool counts)
{
    server_state& state = service_->state;
    auto streaming = streamed::not_at_all;
    response answer;
    {
        const running_request counted(counts ? &state.running : nullptr);
        fiber::scope scope{{.deadline = fiber::after(state.options.request_budget)}};
        const reset_watch watch(*stream_, scope);
        body_.counts_in(counts ? &state.running : nullptr);
        out_.flush_before_park();
        answer = http::answer(request_, service_->application);
        notice_draining();
        const bool streams = answer.is_streaming() && !client_.is_head;
        if (!(streams ? body_.is_complete() : body_.can_be_left())) // a producer may read what is left
            client_.keep_alive = false;
        if (streams)
            streaming = answer.is_long_lived() ? stream_long(answer) : stream_body(answer);
        if (streaming == streamed::whole)
            answer.set_producer({}); // with its permits and leases: the rest is between the client and us
        out_.do_not_flush_before_park();
        body_.counts_in(nullptr);
    }
    const bool is_cut = streaming == streamed::cut;
    if (answer.is_abandoned() || is_cut || body_.is_gone()) {
        (is_cut && !answer.is_abandoned() ? state.counters.cut : state.counters.cancelled).add();
        return body_.is_gone() && !is_cut ? next::close : next::reset; // earlier answers are on their way
    }
    if (streaming == streamed::not_at_all)
        return respond(answer);
    count(answer.status());
    return go_on(client_.keep_alive);
}

exchange::next exchange::respond(const response& answer)
{
    const answer_framing framing = frame_answer(answer, client_);
    count(answer.status());
    append_head(out_.bytes(), answer, client_, framing);
    if (framing.sends_body && framing.length < outbox::enough)
        out_.bytes() += answer.body();
    else if (framing.sends_body)
        out_.flush_with(answer.body());
    return go_on(framing.keep_alive);
}

exchange::next exchange::go_on(bool keep_alive)
{
    if (!keep_alive) {
        out_.flush();
        return input_.is_empty() && client_closes_ && body_.is_complete() ? next::close : next::linger;
    }
    if (!body_.is_complete() && !drop_rest_of_body())
        return next::close;
    if (!input_.is_empty()) {
        if (out_.is_full())
            out_.flush();
        return next::again;
    }
    out_.flush();
    return input_.took_all() ? next::rest : next::again;
}

exchange::next exchange::refuse(status why)
{
    client_.keep_alive = false;
    const response answer = reply(problem(why, {}));
    append_head(out_.bytes(), answer, client_, frame_answer(answer, client_));
    if (!client_.is_head)
        out_.bytes() += answer.body();
    count(why);
    out_.flush();
    return next::linger;
}

exchange::next exchange::refuse_overloaded()
{
    service_->state.counters.overloaded.add();
    response answer =
        reply(problem(status::service_unavailable, "too many requests are running; nothing was done"));
    answer.set_header(field::retry_after, "1");
    answer.set_close(!body_.is_complete()); // not worth being read
    return respond(answer);
}

// What the handler did not want, of a body that is nearly over: the next request is behind it.
bool exchange::drop_rest_of_body()
{
    out_.flush();
    try {
        fiber::within(service_->state.options.linger_time, [this] { body_.drop(); });
    } catch (const error&) {
        return false; // malformed, late, or the client has gone; the answer is out
    }
    return true;
}

void exchange::linger()
{
    stream_->shutdown_write();
    const auto& state = service_->state;
    const std::chrono::milliseconds most = state.options.linger_time;
    const bool hurries = state.draining.load(std::memory_order_relaxed);
    fiber::within(hurries ? std::min(most, most_lingering_in_drain) : most, [this] {
        std::size_t dropped = 0;
        while (dropped < most_lingering) {
            input_.consume(input_.unread().size());
            const std::size_t count = stream_->read_some(input_.room());
            if (count == 0)
                return;
            dropped += count;
        }
    });
}

// A request has begun with its first byte, and with a part of the record that it is in.
void exchange::note_beginning() noexcept
{
    if (input_.is_empty() && !(secure_ && secure_->has_part()))
        since_ = {};
    else if (since_ == fiber::time_point{})
        since_ = fiber::now();
}

// Looked at before each head is written: it may be the last that this client is told.
void exchange::notice_draining() noexcept
{
    if (service_->state.draining.load(std::memory_order_relaxed))
        client_.keep_alive = false;
}

bool exchange::admit() noexcept
{
    server_state& state = service_->state;
    if (state.running.fetch_add(1, std::memory_order_relaxed) < state.options.max_requests)
        return true;
    state.running.fetch_sub(1, std::memory_order_relaxed);
    return false;
}

// Health must answer in the worst of times, so it neither waits for the others nor counts with them.
bool exchange::is_limited() const noexcept
{
    const auto& free = service_->state.options.not_limited;
    return service_->is_limited && std::find(free.begin(), free.end(), request_.raw_path()) == free.end();
}

void exchange::count(status answered) noexcept
{
    const auto hundreds = static_cast<unsigned>(answered) / 100;
    if (hundreds >= 1 && hundreds <= 5)
        service_->state.counters.answered[hundreds - 1].add();
}

} // namespace heddle::http
