#include <heddle/http/json_reader.hpp>

#include <heddle/http/problem.hpp>

#include "http/json_text.hpp"

#include <algorithm>
#include <charconv>

namespace heddle::http {
namespace {

constexpr std::size_t max_echoed_bytes = 64; // of a name the client chose, in an error

} // namespace

json_reader::json_reader(std::string_view text, const json_options& options) noexcept
    : at_(text.data()), end_(text.data() + text.size()), options_(options)
{
}

bool json_reader::ignores_unknown_members() const noexcept
{
    return options_.unknown_members == json_options::unknown::ignore;
}

char json_reader::peek() noexcept
{
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t'))
        ++at_;
    return at_ == end_ ? '\0' : *at_;
}

bool json_reader::take_word(std::string_view word) noexcept
{
    peek();
    if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, word.size()) != word)
        return false;
    at_ += word.size();
    return true;
}

bool json_reader::take_null()
{
    return take_word("null");
}

bool json_reader::read_bool()
{
    if (take_word("true"))
        return true;
    if (take_word("false"))
        return false;
    mismatch("must be true or false");
}

// Takes a string, and returns what lies between its quotes.
std::string_view json_reader::take_string(bool& escaped)
{
    if (peek() != '"')
        mismatch("must be a string");
    const char* const start = ++at_;
    escaped = false;
    while (at_ != end_ && *at_ != '"') {
        if (*at_ == '\\') {
            escaped = true;
            if (++at_ == end_)
                break;
        }
        ++at_;
    }
    if (at_ == end_)
        fail_here();
    return {start, static_cast<std::size_t>(at_++ - start)};
}

void json_reader::read_string(std::string& into)
{
    bool escaped = false;
    const std::string_view raw = take_string(escaped);
    into.clear();
    into.reserve(raw.size());
    if (const char* fault = append_unescaped(into, raw))
        fail(fault);
}

std::string_view json_reader::take_number()
{
    peek();
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    const std::size_t length = number_length(rest);
    if (length == 0)
        mismatch("must be a number");
    at_ += length;
    return rest.substr(0, length);
}

std::int64_t json_reader::read_integer(std::int64_t least, std::int64_t greatest)
{
    const std::string_view text = take_number();
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size())
        fail("must be an integer, written with digits only");
    if (failure != std::errc() || value < least || value > greatest)
        fail("must be between " + std::to_string(least) + " and " + std::to_string(greatest));
    return value;
}

std::uint64_t json_reader::read_unsigned(std::uint64_t greatest)
{
    const std::string_view text = take_number();
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.front() != '-' && end != text.data() + text.size())
        fail("must be an integer, written with digits only");
    if (failure != std::errc() || value > greatest)
        fail("must be between 0 and " + std::to_string(greatest));
    return value;
}

double json_reader::read_double()
{
    const auto value = to_double(take_number());
    if (!value)
        fail("is a number that cannot be stored as it is");
    return *value;
}

void json_reader::enter(bool array)
{
    if (depth_ == max_depth)
        fail("lies inside more than " + std::to_string(max_depth) + " arrays and objects");
    ++at_;
    levels_[depth_++] = level{{}, 0, array};
}

// Takes what stands before the next member or element: nothing, a comma, or the end of them all.
bool json_reader::next(char close)
{
    level& here = levels_[depth_ - 1];
    const char c = peek();
    if (c == close) {
        ++at_;
        --depth_;
        return false;
    }
    if (here.count > 0) {
        if (c != ',')
            fail_here();
        ++at_;
    }
    ++here.count;
    return true;
}

void json_reader::enter_object()
{
    if (peek() != '{')
        mismatch("must be an object");
    enter(false);
}

bool json_reader::next_member()
{
    level& here = levels_[depth_ - 1];
    here.raw_name = {};
    if (!next('}'))
        return false;
    if (peek() != '"')
        fail_here();
    bool escaped = false;
    name_ = here.raw_name = take_string(escaped);
    unescaped_name_.clear();
    if (const char* fault = append_unescaped(unescaped_name_, here.raw_name))
        fail(std::string("has a name that ") + fault);
    if (escaped)
        name_ = unescaped_name_;
    if (peek() != ':')
        fail_here();
    ++at_;
    return true;
}

void json_reader::enter_array()
{
    if (peek() != '[')
        mismatch("must be an array");
    enter(true);
}

bool json_reader::next_element()
{
    return next(']');
}

void json_reader::skip()
{
    bool escaped = false;
    std::string ignored;
    switch (peek()) {
    case '{':
        enter_object();
        while (next_member())
            skip();
        return;
    case '[':
        enter_array();
        while (next_element())
            skip();
        return;
    case '"':
        if (const char* fault = append_unescaped(ignored, take_string(escaped)))
            fail(fault);
        return;
    case 'n':
        if (!take_null())
            fail_here();
        return;
    case 't':
    case 'f':
        read_bool();
        return;
    default:
        take_number();
        return;
    }
}

void json_reader::finish()
{
    if (peek() != '\0' || at_ != end_)
        fail("is followed by something else");
}

// A JSON pointer to the value that is being read. Source: RFC 6901.
std::string json_reader::pointer() const
{
    std::string out;
    for (unsigned i = 0; i != depth_; ++i) {
        const level& here = levels_[i];
        if (here.array) {
            if (here.count > 0)
                out.append("/").append(std::to_string(here.count - 1));
            continue;
        }
        if (here.raw_name.data() == nullptr)
            continue;
        std::string name;
        append_unescaped(name, here.raw_name);
        out += '/';
        for (const char c : std::string_view(name).substr(0, max_echoed_bytes)) {
            if (c == '~')
                out += "~0";
            else if (c == '/')
                out += "~1";
            else
                out += c;
        }
    }
    return out;
}

void json_reader::fail(std::string_view detail) const
{
    refuse(pointer(), detail);
}

void json_reader::fail_at(std::string_view name, std::string_view detail) const
{
    refuse(pointer().append("/").append(name), detail);
}

void json_reader::fail_here() const
{
    mismatch("is no JSON");
}

void json_reader::mismatch(std::string_view detail) const
{
    refuse(pointer(), at_ == end_ ? "ends too early" : detail);
}

void json_reader::refuse(std::string pointer, std::string_view detail) const
{
    if (options_.blame == kind::value)
        throw bad_request(std::move(pointer), std::string(detail));
    throw error(options_.blame, "'" + pointer + "' " + std::string(detail));
}

} // namespace heddle::http
