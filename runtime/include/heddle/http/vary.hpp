// The Vary field, which several middlewares add to.
#pragma once

#include <heddle/http/words.hpp>

#include <string_view>

namespace heddle::http {

// Says that the answer depends on the request's field of that name, unless it says so already.
// Throws: error, when `name` is no token. Source: RFC 9110 section 12.5.5.
void add_vary(response& answer, std::string_view name);

} // namespace heddle::http
