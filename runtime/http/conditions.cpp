// Conditional requests: If-Match and its kin against what is there.
#include <heddle/http/etag.hpp>

#include <heddle/base/error.hpp>
#include <heddle/http/reply.hpp>

#include "http/date.hpp"
#include "http/field_list.hpp"

#include <ctime>

namespace heddle::http {

namespace {

using clock = std::chrono::system_clock;

enum class comparison
{
    strong, // both tags must be strong, for who writes or asks for parts
    weak
};

bool is_weak(std::string_view tag) noexcept
{
    return tag.starts_with("W/");
}

std::string_view opaque(std::string_view tag) noexcept
{
    return is_weak(tag) ? tag.substr(2) : tag;
}

// Source: RFC 9110 section 8.8.3.
bool is_tag(std::string_view tag) noexcept
{
    const std::string_view quoted = opaque(tag);
    if (quoted.size() < 2 || quoted.front() != '"' || quoted.back() != '"')
        return false;
    for (const char c : quoted.substr(1, quoted.size() - 2)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= 0x20 || byte == '"' || byte == 0x7f)
            return false;
    }
    return true;
}

// Source: RFC 9110 section 8.8.3.2.
bool same_tag(std::string_view a, std::string_view b, comparison how) noexcept
{
    if (how == comparison::strong && (is_weak(a) || is_weak(b)))
        return false;
    return opaque(a) == opaque(b);
}

struct tag_condition
{
    bool is_there = false; // the request has such a field
    bool matches = false;
};

// All lines of that name are one list.
tag_condition look_at_tags(const request& req, field name, const validators& now, comparison how)
{
    tag_condition found;
    req.for_each_header([&](field id, std::string_view, std::string_view value) {
        if (id != name)
            return;
        found.is_there = true;
        if (trimmed(value) == "*")
            found.matches = found.matches || now.exists;
        for (std::string_view rest = value; !rest.empty();) {
            const std::string_view tag = take_element(rest, ',', false);
            if (now.exists && !now.etag.empty() && is_tag(tag) && same_tag(tag, now.etag, how))
                found.matches = true;
        }
    });
    return found;
}

std::time_t seconds_of(clock::time_point at)
{
    return std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count();
}

// Whether it was modified after the date in that field; nothing without a date that can be read, or compared
// with.
std::optional<bool> modified_since(const request& req, field name, const validators& now)
{
    const std::string_view text = req.header(name);
    if (text.empty() || !now.last_modified || !now.exists)
        return std::nullopt;
    const auto date = parse_date(text, clock::to_time_t(clock::now()));
    if (!date)
        return std::nullopt;
    return seconds_of(*now.last_modified) > *date;
}

response not_modified(const validators& now)
{
    response answer(status::not_modified);
    set_validators(answer, now);
    return answer;
}

response failed()
{
    return reply(problem(status::precondition_failed, "it is not, or no longer, as the request supposes"));
}

} // namespace

std::optional<response> unmet_condition(const request& req, const validators& now)
{
    if (!now.etag.empty() && !is_tag(now.etag))
        throw error(kind::internal, "an entity tag must be in quotes, without spaces or quotes in it");

    const tag_condition match = look_at_tags(req, field::if_match, now, comparison::strong);
    if (match.is_there ? !match.matches
                       : modified_since(req, field::if_unmodified_since, now).value_or(false))
        return failed();

    const bool reads = req.method() == verb::get || req.method() == verb::head;
    const tag_condition none_match = look_at_tags(req, field::if_none_match, now, comparison::weak);
    if (none_match.is_there) {
        if (none_match.matches)
            return reads ? not_modified(now) : failed();
        return std::nullopt;
    }
    if (reads && !modified_since(req, field::if_modified_since, now).value_or(true))
        return not_modified(now);
    return std::nullopt;
}

void set_validators(response& answer, const validators& now)
{
    if (!now.etag.empty())
        answer.set_header(field::etag, now.etag);
    if (now.last_modified)
        answer.set_header(field::last_modified, format_date(seconds_of(*now.last_modified)));
}

} // namespace heddle::http
