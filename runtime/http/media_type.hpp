// What a Content-Type names, without its parameters.
#pragma once

#include "http/field_list.hpp"

#include <string_view>

namespace heddle::http {

// "text/html" of "text/html; charset=utf-8", in the sender's spelling. Source: RFC 9110 §8.3.1.
constexpr std::string_view media_type(std::string_view content_type) noexcept
{
    return trimmed(content_type.substr(0, content_type.find(';')));
}

} // namespace heddle::http
