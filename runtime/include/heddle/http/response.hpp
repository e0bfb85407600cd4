// A response: a status, fields that are ready to be sent as they are, and a body or what produces one.
#pragma once

#include <heddle/http/json.hpp>
#include <heddle/http/sink.hpp>
#include <heddle/http/words.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::http {

class response
{
public:
    using producer = std::function<void(sink&)>;

    response() = default;
    explicit response(http::status status) noexcept : status_(status) {}
    response(http::status status, std::string_view content_type, std::string body);

    http::status status() const noexcept { return status_; }
    void set_status(http::status status) noexcept { status_ = status; }

    // The first field of that name, empty if there is none.
    std::string_view header(http::field name) const noexcept;
    std::string_view header(std::string_view name) const noexcept;

    // Sets the field, in place of those of that name; add_header() leaves them.
    // Throws: error, when the name is no token, the value has CR, LF or NUL, or the field is one of framing,
    // which is the server's own: Content-Length, Transfer-Encoding, Connection.
    response& set_header(http::field name, std::string_view value);
    response& set_header(std::string_view name, std::string_view value);
    response& add_header(std::string_view name, std::string_view value);
    void remove_header(std::string_view name) noexcept;

    // All of them as lines, "Name: value\r\n" each: the wire sends them as they are.
    std::string_view header_lines() const noexcept { return lines_; }

    std::string_view body() const noexcept { return body_; }
    void set_body(std::string&& body) noexcept { body_ = std::move(body); }
    void append_body(std::string_view bytes) { body_.append(bytes); }

    // A stream's body is made while it is sent. The producer runs once, after the handler has returned.
    bool is_streaming() const noexcept { return static_cast<bool>(producer_); }
    const producer& body_producer() const noexcept { return producer_; }
    void set_producer(producer p) { producer_ = std::move(p); }

    // The stream goes on until it or the client ends it, or the server drains: request_budget ends with the
    // handler, and when the server is about to stop the producer's scope is cancelled.
    bool is_long_lived() const noexcept { return long_lived_; }
    void set_long_lived(bool long_lived = true) noexcept { long_lived_ = long_lived; }

    // The connection closes after this answer.
    bool close() const noexcept { return close_; }
    void set_close(bool close = true) noexcept { close_ = close; }

    // Nobody waits for it (the scope was cancelled): the server sends nothing, and counts it.
    bool is_abandoned() const noexcept { return abandoned_; }
    void set_abandoned() noexcept { abandoned_ = true; }

    // The body as a T. Throws: bad_request.
    template <class T>
    T json() const
    {
        return from_json<T>(body_, {.unknown_members = json_options::unknown::ignore});
    }

private:
    void append_line(std::string_view name, std::string_view value);

    http::status status_ = http::status::ok;
    bool close_ = false;
    bool abandoned_ = false;
    bool long_lived_ = false;
    std::string lines_;
    std::string body_;
    producer producer_;
};

// A streamed answer. Its head is sent with the first write, so what is thrown before that is answered as
// usual.
response stream(std::string_view content_type, response::producer producer);

// All that a stream writes, in one string: for tests.
std::string collect(const response& streamed);

} // namespace heddle::http
