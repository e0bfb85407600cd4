// What goes around handlers: each looks at a request, passes it on or answers it by itself.
#pragma once

#include <heddle/fiber/clock.hpp>
#include <heddle/http/reply.hpp>
#include <heddle/http/words.hpp>

#include <concepts>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::fiber {
class gate;
}

namespace heddle::http {

// One handler out of `around`, outermost first, and `inner`. What a middleware throws is answered like what a
// handler throws, so the ones outside it always see an answer.
handler chain(std::vector<middleware> around, handler inner);

// The same around a typed handler: router.get("/report", chain({within(5s)}, report)).
template <class F>
requires(!std::convertible_to<F, handler>) handler chain(std::vector<middleware> around, F inner)
{
    return chain(std::move(around), as_handler(std::move(inner)));
}

// Gives the request an id: the client's X-Request-Id, if it is 1 to 64 letters, digits, '-', '_' or '.', or a
// new one of 128 bits. It names the scope, so log lines and the fiber dump have it, and goes out with the
// answer.
middleware request_id();

struct access_log_options
{
    enum class shape
    {
        line,  // GET /orders/7 200 143B 312us route=/orders/{id} peer=127.0.0.1:40312 id=5f...
        fields // one field for each of these, which a log in JSON has as members
    };
    shape as = shape::line;
    bool agent = false; // User-Agent and Referer, too
};

// Writes one line a request: method, target, status, bytes, time, route, peer, client (where forwarded() has
// found another), id. What comes from outside is escaped, and cut after 256 bytes. "cut" and "refused" are
// streams that failed after and before their first byte. What the server refuses before any middleware has no
// line: heads and bodies that are broken, too large or too slow (400, 408, 413, 414, 431, 505), and requests
// over max_requests (503).
middleware access_log(const access_log_options& options = {});

// Runs at most as many requests as the gate lets in; the others are answered 503 with Retry-After.
// `gate` must outlive the middleware.
middleware limit(fiber::gate& gate);

// Gives what is inside at most `budget` of the request's time. Past it: 504.
middleware within(fiber::duration budget);

// Lets bodies inside have up to that many bytes, in place of the server's body_limit; one more is answered
// 413.
middleware body_limit(std::uint64_t bytes);

// Unpacks bodies that come with `Content-Encoding: gzip` while they are read; the body's limit holds for what
// comes out. Others are answered 415, as all packed ones are without this.
middleware decompression();

// Whether two secrets are the same, in a time that tells nothing but their lengths.
bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept;

} // namespace heddle::http
