#include "http/wire_body.hpp"

#include <heddle/base/error.hpp>
#include <heddle/http/problem.hpp>
#include <heddle/net/error.hpp>

#include <algorithm>
#include <array>

namespace heddle::http {

namespace {

constexpr std::uint64_t most_uncounted = 64 * 1024; // bytes: whose body is larger runs, for it takes memory
constexpr std::uint64_t worth_reading = 64 * 1024;  // bytes: less than a new connection costs

class not_running
{
public:
    explicit not_running(std::atomic<std::int64_t>* running) noexcept : running_(running)
    {
        if (running_)
            running_->fetch_sub(1, std::memory_order_relaxed);
    }
    ~not_running()
    {
        if (running_)
            running_->fetch_add(1, std::memory_order_relaxed); // it was let in, and is not asked again
    }
    not_running(const not_running&) = delete;
    not_running& operator=(const not_running&) = delete;

private:
    std::atomic<std::int64_t>* running_;
};

std::size_t lesser(std::uint64_t a, std::size_t b) noexcept
{
    return static_cast<std::size_t>(std::min<std::uint64_t>(a, b));
}

} // namespace

void wire_body::begin(net::stream& stream, const framing& framing) noexcept
{
    stream_ = &stream;
    running_ = nullptr;
    kind_ = framing.body;
    state_ = kind_ == framing::body_kind::none ? state::complete : state::reading;
    owes_continue_ = framing.expects_continue;
    left_ = framing.length;
    given_ = 0;
    why_ = status::ok;
    decoder_ = {};
}

std::size_t wire_body::read_some(std::span<char> into)
{
    for (;;) {
        check_is_readable();
        if (const std::size_t count = take(into); count > 0 || state_ == state::complete)
            return count;
        if (kind_ == framing::body_kind::sized && into.size() >= input_.capacity())
            return took(fetch_apart(into.first(lesser(left_, into.size()))));
        input_.added(fetch_or_say_why(input_.room()));
    }
}

void wire_body::check_is_readable()
{
    if (state_ == state::broken && why_ != status::ok)
        fail(why_, detail_);
    if (state_ == state::broken || state_ == state::gone)
        throw cancelled("the request's body cannot be read any more");
}

// What is there already.
std::size_t wire_body::take(std::span<char> into)
{
    if (kind_ == framing::body_kind::chunked)
        return take_chunked(into);
    const std::size_t count = input_.unread().copy(into.data(), lesser(left_, into.size()));
    input_.consume(count);
    return took(count);
}

std::size_t wire_body::took(std::size_t count) noexcept
{
    left_ -= count;
    given_ += count;
    if (left_ == 0)
        state_ = state::complete;
    return count;
}

std::size_t wire_body::take_chunked(std::span<char> into)
{
    while (!input_.is_empty() && !decoder_.is_done()) {
        const chunk_decoder::step step = decoder_.next(input_.unread().substr(0, into.size()));
        if (decoder_.is_malformed())
            fail(status::bad_request, "the body's chunks are malformed");
        const std::size_t count = step.data.copy(into.data(), into.size());
        input_.consume(step.used);
        given_ += count;
        if (count > 0)
            return count;
    }
    if (decoder_.is_done())
        state_ = state::complete;
    return 0;
}

std::size_t wire_body::fetch(std::span<char> into)
{
    if (owes_continue_ && input_.is_empty())
        out_.bytes() += "HTTP/1.1 100 Continue\r\n\r\n";
    owes_continue_ = false;
    const not_running meanwhile(given_ < most_uncounted ? running_ : nullptr);
    out_.flush();
    const std::size_t count = stream_->read_some(into);
    if (count == 0) {
        state_ = state::gone;
        throw cancelled("the client has ended in the middle of the body");
    }
    return count;
}

// Without a copy. What comes behind it is still the stream's to announce, or there already.
std::size_t wire_body::fetch_apart(std::span<char> into)
{
    const std::size_t count = fetch_or_say_why(into);
    input_.read_apart(count == into.size());
    return count;
}

std::size_t wire_body::fetch_or_say_why(std::span<char> into)
{
    const char* gone = "the client has gone";
    try {
        return fetch(into);
    } catch (const deadline_exceeded&) {
        gone = out_.is_empty() ? nullptr : "the client did not take the answers before this one";
    } catch (const cancelled&) {
        // By a reset; or by the handler itself, which then has another answer.
        if (state_ == state::reading && out_.is_empty()) {
            state_ = state::broken;
            gone = "the reading of the body was ended";
        }
    } catch (const net::broken&) {
    }
    if (!gone)
        fail(status::request_timeout, "the body did not come in time");
    if (state_ == state::reading)
        state_ = state::gone;
    throw cancelled(gone);
}

void wire_body::fail(status why, const char* detail)
{
    state_ = state::broken;
    why_ = why;
    detail_ = detail;
    throw rejected(problem(why, detail));
}

bool wire_body::can_be_left() noexcept
{
    std::array<char, 1024> dropped;
    try {
        while (state_ == state::reading && !input_.is_empty())
            take(dropped);
    } catch (const rejected&) {
        return false;
    }
    if (state_ == state::complete)
        return true;
    return state_ == state::reading && kind_ == framing::body_kind::sized && left_ <= worth_reading &&
           !owes_continue_; // who was not asked may send it, or not
}

void wire_body::drop()
{
    std::array<char, 1024> dropped;
    while (read_some(dropped) > 0) {
    }
}

} // namespace heddle::http
