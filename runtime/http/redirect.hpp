// Where an answer sends the asker, and what of the request goes there.
#pragma once

#include <heddle/http/response.hpp>

#include "http/request_writer.hpp"

#include <optional>

namespace heddle::http {

struct redirect_rules
{
    bool to_other_origins = false; // never from https to http
    bool body_can_be_repeated = true;
};

// The request that follows `answer`, or nothing if it is not followed: then it is the answer.
// Source: RFC 9110 §15.4; Fetch §4.4 for what 301, 302 and 303 make of a method, and for the credentials.
std::optional<outgoing> follow(const outgoing& asked, const response& answer, const redirect_rules& rules);

} // namespace heddle::http
