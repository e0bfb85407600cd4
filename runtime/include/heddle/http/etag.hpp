// Entity tags and conditional requests: who has the answer already is not sent it again, and who changes what
// others have changed meanwhile is told.
#pragma once

#include <heddle/http/message.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::http {

// What is known of the resource as it is now.
struct validators
{
    std::string_view etag = {}; // with its quotes: "\"v7\"" or "W/\"v7\""; empty: not known
    std::optional<std::chrono::system_clock::time_point> last_modified = {};
    bool exists = true; // false: there is none yet, which `If-None-Match: *` asks for
};

// The answer that the request's own conditions ask for, in place of doing what it wants: 304, or 412 with a
// problem document. Nothing: go on, and put the same validators on the answer with set_validators().
// Call it when the request is otherwise all right, and before anything is changed.
// Throws: error, when the tag is none. Source: RFC 9110 section 13.2.2.
std::optional<response> unmet_condition(const request& req, const validators& now);

// Puts ETag and Last-Modified on an answer.
void set_validators(response& answer, const validators& now);

// A strong tag for these bytes: a 128-bit hash of them. Two contents by accident have the same with a
// probability of 2^-128; who can choose both contents can make it so, and deceives only the caches of his
// own.
std::string etag_of(std::string_view bytes);

enum class etag_strength
{
    strong,
    weak // for contents that are equal in what they mean, and differ in bytes
};

// Tags the 200s to GET and HEAD that have a body in memory and no tag, and answers 304 to who has it already.
// The handler still makes the answer: this saves the sending only. Goes inside of compression():
// chain({compression(), etag()}, ...).
middleware etag(etag_strength strength = etag_strength::strong);

} // namespace heddle::http
