// Calls a handler, and turns whatever comes out into an answer. The only `try` on a request's way.
#pragma once

#include <heddle/http/message.hpp>

#include <memory>
#include <type_traits>

namespace heddle::http {

// The answer of `call(argument)`; when it throws, the problem document for what was thrown:
//
//   overloaded, unavailable, conflict          503 with Retry-After
//   deadline                                   504
//   upstream, upstream_timeout                 502, 504
//   rejected (bad_request and its kin)         as it says: 400, 413, 415, ...
//   value                                      400
//   constraint                                 409
//   outcome_unknown                            500 commit-unknown
//   cancelled                                  none: the response is marked as abandoned
//   anything else                              500, without details
//
// If the scope has committed a write, whatever was thrown is answered 500 partly-done: a client told to come
// back later would write twice. If a commit's outcome is unknown, it is answered 500 commit-unknown.
// Causes of 500, 502 and 504 are logged once, with the request's id, and so is, whatever the status, a
// rollback that failed.
// Parks: where `call` does. Throws: nothing but std::bad_alloc.
response answer(const request& req, response (*call)(const void* argument, const request& req),
                const void* argument);

template <class F>
requires std::is_invocable_r_v<response, const F&, const request&> response answer(const request& req,
                                                                                   const F& f)
{
    const auto call = [](const void* argument, const request& r) -> response {
        return (*static_cast<const F*>(argument))(r);
    };
    return answer(req, call, std::addressof(f));
}

} // namespace heddle::http
