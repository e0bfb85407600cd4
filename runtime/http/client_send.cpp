// The way out: what a request is framed with, and its body from wherever it comes.
#include "http/client_call.hpp"

#include <heddle/fiber/scope.hpp>
#include <heddle/net/error.hpp>

#include <array>
#include <chrono>
#include <utility>

namespace heddle::http {

namespace {

bool expects_body(std::string_view method) noexcept
{
    return method == "POST" || method == "PUT" || method == "PATCH";
}

void pass_body_on(const request& from, sink& to)
{
    std::array<char, 4096> bytes;
    while (const std::size_t count = from.read_body(bytes))
        to.write({bytes.data(), count});
}

} // namespace

// An upstream that refuses a body may say so and close before it has read it: its answer is looked for even
// if not all could be sent. Returns: why not all was sent, or nullptr.
std::exception_ptr client_call::send(client_connection& on)
{
    const bool is_stream = streams_body();
    const auto length = upload_ ? upload_->length : request_.body_length();
    std::string_view whole;
    auto kind = sent_body::none;
    if (is_stream)
        kind = length ? sent_body::sized : sent_body::chunked;
    else if (out_.sends_body && !upload_)
        whole = request_.body();
    if (!is_stream && (!whole.empty() || expects_body(out_.method)))
        kind = sent_body::sized;

    const std::uint64_t size = is_stream ? length.value_or(0) : whole.size();
    std::string head;
    append_request_head(head, out_, kind, size, added_fields());
    upload_sink sink(on, std::move(head), kind, size);
    try {
        if (!is_stream)
            sink.write(whole);
        else if (upload_)
            upload_->produce(sink);
        else
            pass_body_on(request_, sink);
        sink.finish();
    } catch (const net::broken&) {
        if (sink.is_broken())
            return std::current_exception();
        foreign_ = true;
        throw;
    } catch (...) {
        foreign_ = !sink.has_failed();
        throw;
    }
    on.note_sent();
    return nullptr;
}

std::vector<added_field> client_call::added_fields() const
{
    std::vector<added_field> added;
    const fiber::scope* const scope = fiber::scope::current();
    if (!scope)
        return added;
    if (client_.options.sends_request_id && !scope->request_id().empty())
        added.push_back({"X-Request-Id", std::string(scope->request_id())});
    if (!client_.options.deadline_header.empty() && scope->deadline() != fiber::never) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(fiber::scope::remaining());
        added.push_back({client_.options.deadline_header, std::to_string(left.count())});
    }
    return added;
}

} // namespace heddle::http
