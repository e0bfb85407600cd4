// Which coding of an answer the client wants.
#pragma once

#include <string_view>

namespace heddle::http {

class request;

// Whether it rather has gzip than the answer as it is. Source: RFC 9110 section 12.5.3.
bool prefers_gzip(const request& req) noexcept;

} // namespace heddle::http
