#include "idempotent/key.hpp"

#include <heddle/base/sha256.hpp>
#include <heddle/http/problem.hpp>

#include <algorithm>
#include <cstddef>
#include <initializer_list>

namespace heddle::idempotent {

namespace {

constexpr std::string_view field_name = "Idempotency-Key";
constexpr std::size_t longest_key = 255;

constexpr char lower(char c) noexcept
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool is_printable(char c) noexcept
{
    return c >= ' ' && c <= '~';
}

// Without what begins another notation, or a list.
constexpr bool may_stand_bare(char c) noexcept
{
    return is_printable(c) && c != ' ' && c != '"' && c != '\\' && c != ',' && c != ';';
}

// The text in `"..."`, in which a backslash stands before quotes and backslashes only.
std::optional<std::string> unquoted(std::string_view field)
{
    std::string text;
    for (std::size_t i = 1; i < field.size(); ++i) {
        if (field[i] == '"')
            return i + 1 == field.size() ? std::optional(text) : std::nullopt;
        if (field[i] == '\\' && ++i < field.size() && field[i] != '"' && field[i] != '\\')
            return std::nullopt;
        if (i == field.size() || !is_printable(field[i]))
            return std::nullopt;
        text += field[i];
    }
    return std::nullopt; // it does not end
}

std::optional<std::string> bare(std::string_view field)
{
    if (!std::all_of(field.begin(), field.end(), may_stand_bare))
        return std::nullopt;
    return std::string(field);
}

// Each part with its length before it: no two lists of parts are the same bytes.
std::string digest_of(std::initializer_list<std::string_view> parts)
{
    sha256 digest;
    for (const auto part : parts) {
        digest.add(std::to_string(part.size()) + ":");
        digest.add(part);
    }
    return digest.finish();
}

// "application/json" of "Application/JSON; charset=utf-8".
std::string media_type_of(const http::request& req)
{
    auto type = req.header(http::field::content_type);
    type = type.substr(0, type.find(';'));
    while (!type.empty() && (type.back() == ' ' || type.back() == '\t'))
        type.remove_suffix(1);
    std::string lowered(type);
    std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
    return lowered;
}

[[noreturn]] void refuse(std::string why)
{
    throw http::bad_request("/header/" + std::string(field_name), std::move(why));
}

// Whether there is one. Of two, nobody could say which one is meant.
bool has_key(const http::request& req)
{
    int count = 0;
    req.for_each_header([&](http::field id, std::string_view name, std::string_view) {
        if (id == http::field::unknown && name.size() == field_name.size() &&
            std::equal(name.begin(), name.end(), field_name.begin(),
                       [](char a, char b) { return lower(a) == lower(b); }))
            ++count;
    });
    if (count > 1)
        refuse("is there more than once");
    return count == 1;
}

} // namespace

std::optional<std::string> key_in(std::string_view field)
{
    auto text = field.starts_with('"') ? unquoted(field) : bare(field);
    if (text && (text->empty() || text->size() > longest_key))
        return std::nullopt;
    return text;
}

std::optional<key> key_of(const http::request& req, std::string_view principal)
{
    if (!has_key(req))
        return std::nullopt;
    auto text = key_in(req.header(field_name));
    if (!text)
        refuse("must be 1 to " + std::to_string(longest_key) +
               " printable characters of ASCII, in quotes if there is a space, a comma or the like");
    return key{
        .text = *std::move(text),
        .scope = digest_of({principal, req.method_text(), req.raw_path()}),
        .fingerprint =
            digest_of({req.method_text(), req.raw_path(), req.raw_query(), media_type_of(req), req.body()}),
    };
}

} // namespace heddle::idempotent
