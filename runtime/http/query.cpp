// What a request's query says.
#include <heddle/http/escape.hpp>
#include <heddle/http/request.hpp>

#include "http/pairs.hpp"

namespace heddle::http {
namespace {

// Most names are sent as they are.
bool is_called(std::string_view raw, std::string_view name)
{
    if (raw.find_first_of("%+") == std::string_view::npos)
        return raw == name;
    return unescape(raw, plus::is_space) == name;
}

std::string decoded(std::string_view raw, std::string_view name)
{
    if (auto text = unescape(raw, plus::is_space))
        return *std::move(text);
    refuse_value("/query/", name, "well encoded");
}

} // namespace

std::optional<std::string> request::query_text(std::string_view name) const
{
    for (std::string_view rest = raw_query(); !rest.empty();) {
        const raw_pair pair = take_pair(rest);
        if (is_called(pair.name, name))
            return decoded(pair.value, name);
    }
    return std::nullopt;
}

std::vector<std::string> request::query_texts(std::string_view name) const
{
    std::vector<std::string> texts;
    for (std::string_view rest = raw_query(); !rest.empty();) {
        const raw_pair pair = take_pair(rest);
        if (is_called(pair.name, name))
            texts.push_back(decoded(pair.value, name));
    }
    return texts;
}

} // namespace heddle::http
