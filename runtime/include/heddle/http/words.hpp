// The words of HTTP, as Beast spells them, and the two shapes that everything above the wire has.
#pragma once

#include <cstdint> // Boost 1.83's field.hpp needs it and does not say so

#include <boost/beast/http/field.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/verb.hpp>

#include <functional>

namespace heddle::http {

using field = boost::beast::http::field;
using status = boost::beast::http::status;
using verb = boost::beast::http::verb;

class request;
class response;

// An application, a router, an upstream and its fake are all this one function.
using handler = std::function<response(const request&)>;

// Something around a handler: looks at the request, and passes it on or answers by itself.
using middleware = std::function<response(const request&, const handler&)>;

} // namespace heddle::http
