// Who is let in by a token.
#pragma once

#include <heddle/http/words.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace heddle::http {

// Passes on the requests whose `Authorization: Bearer TOKEN` the hook accepts. The others are answered with
// the challenge: 401, and 400 for more than one such field. The hook runs on the request's fiber and may
// park; for a token that is known beforehand it is equal_in_constant_time(). What it throws is the answer.
// `realm`: what is protected, for people. Throws: config_error, when the realm has quotes, backslashes or
// control bytes. Source: RFC 6750 sections 2.1 and 3.
middleware bearer_token(std::function<bool(std::string_view token)> accepts, std::string realm = "heddle");

} // namespace heddle::http
