// From what a handler returns to a response, and from an upstream's response back to a value.
#pragma once

#include <heddle/http/message.hpp>
#include <heddle/http/result.hpp>

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace heddle::http {

// A response is one already.
inline response reply(response r)
{
    return r;
}

// The problem document, with its status.
response reply(const problem& p);

// Plain text, UTF-8.
response reply(std::string text);
response reply(std::string_view text);
response reply(const char* text);

// JSON, in an answer of that status.
template <json_value T>
response reply(http::status status, const T& value)
{
    return response(status, "application/json", to_json(value));
}

template <json_value T>
    requires(!json_detail::is_text<T>)
response reply(const T& value)
{
    return reply(http::status::ok, value);
}

template <class T>
response reply(const created<T>& made)
{
    response answer = reply(http::status::created, made.value);
    answer.set_header(field::location, made.location);
    return answer;
}

template <class T>
response reply(result<T> outcome)
{
    return outcome ? reply(std::move(outcome).value()) : reply(std::move(outcome).problem());
}

// Any callable of a request whose result reply() takes, or that returns nothing (204), as a handler.
template <class F>
    requires std::invocable<const F&, const request&>
handler as_handler(F f)
{
    using value = std::invoke_result_t<const F&, const request&>;
    if constexpr (std::is_same_v<value, response>) {
        return handler(std::move(f));
    } else if constexpr (std::is_void_v<value>) {
        return [f = std::move(f)](const request& req) {
            std::invoke(f, req);
            return response(http::status::no_content);
        };
    } else {
        return [f = std::move(f)](const request& req) { return reply(std::invoke(f, req)); };
    }
}

// Throws: error (upstream, or upstream_timeout for 504) unless the status is 2xx.
void expect_success(const response& answer);

// The value in an upstream's answer. Members that it has and T does not are ignored: the upstream may grow.
// Throws: error (upstream) when the status is not 2xx or the body is no T; upstream_timeout when the status
// is 504.
template <class T>
T expect(const response& answer)
{
    expect_success(answer);
    return from_json<T>(answer.body(),
                        {.unknown_members = json_options::unknown::ignore, .blame = kind::upstream});
}

} // namespace heddle::http
