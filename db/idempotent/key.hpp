// What identifies a request that may be repeated: its key, where the key holds, and what was asked for.
#pragma once

#include <heddle/http/request.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace heddle::idempotent {

// The key that a field's value stands for: what is in the quotes of a structured field's string, or, as many
// clients send it, the value as it is. Nothing if it is none.
// Source: RFC 9651 §3.3.3; draft-ietf-httpapi-idempotency-key-header.
std::optional<std::string> key_in(std::string_view field);

struct key
{
    std::string text;
    std::string scope;       // a digest of principal, method and path
    std::string fingerprint; // a digest of method, target, media type and body
};

// Nothing if the request has none.
// Throws: bad_request if it is no key, or there is more than one.
std::optional<key> key_of(const http::request& req, std::string_view principal);

} // namespace heddle::idempotent
