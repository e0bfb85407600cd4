#include "http/client_connection.hpp"

#include <heddle/base/error.hpp>
#include <heddle/net/error.hpp>

#include "http/head_search.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace heddle::http {

namespace {

constexpr fiber::duration just_now = std::chrono::milliseconds(50);
constexpr int most_informational = 16; // answers before the one that counts

[[noreturn]] void refuse_answer(const std::string& why)
{
    throw error(kind::upstream, why);
}

std::size_t most_of(std::uint64_t a, std::size_t b) noexcept
{
    return static_cast<std::size_t>(std::min<std::uint64_t>(a, b));
}

} // namespace

client_connection::client_connection(std::unique_ptr<net::stream> stream, const answer_limits& limits)
    : stream_(std::move(stream)), limits_(limits), input_(limits.head)
{
}

client_connection::client_connection(std::exception_ptr why_not)
    : why_not_(std::move(why_not)), limits_{.head = 0}, input_(0)
{
}

bool client_connection::is_fresh()
{
    if (!stream_)
        return fiber::now() - made_at_ < just_now;
    if (exchanges_ == 0 && fiber::now() - made_at_ < just_now)
        return true; // begin() says what is wrong with it: another one would be no better
    return is_reusable() && is_silent();
}

bool client_connection::is_reusable() const noexcept
{
    return stream_ && state_ == state::complete && is_sent_ && keep_alive_ && input_.is_empty();
}

// Neither closed nor spoken unasked, which would be no answer. Source: RFC 9112 section 9.2.
bool client_connection::is_silent()
{
    char unasked = 0;
    return stream_->try_read_some({&unasked, 1}) < 0;
}

void client_connection::begin()
{
    if (!stream_)
        std::rethrow_exception(why_not_);
    if (exchanges_ == 0 && !is_silent())
        throw net::broken("it has closed, or spoken, before it was asked");
    ++exchanges_;
    state_ = state::awaits_head;
    is_sent_ = false;
    has_answer_begun_ = false;
}

received_head client_connection::receive_head(bool asked_for_head)
{
    for (int informational = 0; informational <= most_informational; ++informational) {
        const std::string_view bytes = wait_for_head();
        received_head head = parse_response_head(bytes, asked_for_head, limits_.fields);
        input_.consume(bytes.size());
        const auto status = static_cast<unsigned>(head.answer.status());
        if (status == 101)
            refuse_answer("it switches to a protocol that nobody has asked for");
        if (status < 200)
            continue;
        kind_ = head.body;
        left_ = head.length;
        decoder_ = {};
        keep_alive_ = head.keep_alive;
        state_ = kind_ == received_head::body_kind::none ? state::complete : state::reading;
        return head;
    }
    refuse_answer("it does not end to say that it goes on");
}

std::string_view client_connection::wait_for_head()
{
    std::size_t looked_at = 0;
    for (;;) {
        const head_search search = find_head_end(input_.unread(), looked_at);
        if (search.found == head_search::state::malformed)
            refuse_answer("the answer's head is malformed: a line's end");
        if (search.found == head_search::state::complete)
            return input_.unread().substr(0, search.size);
        looked_at = search.size;
        const std::span<char> room = input_.room();
        if (room.empty())
            refuse_answer("the answer's head has more than " + std::to_string(limits_.head) + " bytes");
        input_.added(fetch(room));
        has_answer_begun_ = true;
    }
}

std::size_t client_connection::receive_body(std::span<char> into)
{
    if (state_ == state::complete)
        return 0;
    if (state_ != state::reading)
        refuse_answer("the answer's body cannot be read any more");
    state_ = state::broken; // unless nothing is thrown
    std::size_t count = 0;
    switch (kind_) {
    case received_head::body_kind::none:
        break;
    case received_head::body_kind::sized:
        count = take_sized(into);
        break;
    case received_head::body_kind::chunked:
        count = take_chunked(into);
        break;
    case received_head::body_kind::until_close:
        count = take_until_close(into);
        break;
    }
    const bool is_over = kind_ == received_head::body_kind::sized ? left_ == 0 : count == 0;
    state_ = is_over ? state::complete : state::reading;
    return count;
}

std::size_t client_connection::take_sized(std::span<char> into)
{
    into = into.first(most_of(left_, into.size()));
    std::size_t count = input_.unread().copy(into.data(), into.size());
    input_.consume(count);
    if (count == 0)
        count = fetch(into);
    left_ -= count;
    return count;
}

std::size_t client_connection::take_chunked(std::span<char> into)
{
    for (;;) {
        while (!input_.is_empty() && !decoder_.is_done()) {
            const chunk_decoder::step step = decoder_.next(input_.unread().substr(0, into.size()));
            if (decoder_.is_malformed())
                refuse_answer("the answer's chunks are malformed");
            const std::size_t count = step.data.copy(into.data(), into.size());
            input_.consume(step.used);
            if (count > 0)
                return count;
        }
        if (decoder_.is_done())
            return 0;
        input_.added(fetch(input_.room()));
    }
}

// Whole only if the peer has ended it in order: a reset is thrown.
std::size_t client_connection::take_until_close(std::span<char> into)
{
    const std::size_t count = input_.unread().copy(into.data(), into.size());
    input_.consume(count);
    return count > 0 ? count : stream_->read_some(into);
}

std::size_t client_connection::fetch(std::span<char> into)
{
    const std::size_t count = stream_->read_some(into);
    if (count == 0)
        throw net::broken("the connection was closed before the answer's end");
    return count;
}

} // namespace heddle::http
