#include <heddle/http/form.hpp>

#include <heddle/http/escape.hpp>
#include <heddle/http/problem.hpp>
#include <heddle/http/request.hpp>

#include "http/media_type.hpp"
#include "http/pairs.hpp"
#include "http/token.hpp"

namespace heddle::http {
namespace {

std::string decoded(std::string_view raw)
{
    if (auto text = unescape(raw, plus::is_space))
        return *std::move(text);
    throw bad_request("/form", "is not well encoded");
}

} // namespace

form::form(std::string_view urlencoded)
{
    while (!urlencoded.empty()) {
        if (urlencoded.starts_with('&')) { // nothing between two of them is no field
            urlencoded.remove_prefix(1);
            continue;
        }
        if (fields_.size() == max_fields)
            throw rejected(problem{status::payload_too_large,
                                   "a form may have " + std::to_string(max_fields) + " fields"});
        const raw_pair pair = take_pair(urlencoded);
        fields_.emplace_back(decoded(pair.name), decoded(pair.value));
    }
}

form request::form() const
{
    if (!same_name(media_type(header(field::content_type)), "application/x-www-form-urlencoded"))
        throw rejected(
            problem{status::unsupported_media_type, "the body must be application/x-www-form-urlencoded"});
    return http::form(body());
}

} // namespace heddle::http
