#include <heddle/http/response.hpp>

#include <heddle/base/error.hpp>

#include "http/token.hpp"

#include <algorithm>
#include <cstddef>

namespace heddle::http {
namespace {

// A line's name ends at its colon, its value lies between ": " and the line break.
constexpr std::size_t npos = std::string_view::npos;

// Where the line of that name starts in `lines`, from `start` on.
std::size_t find_line(std::string_view lines, std::string_view name, std::size_t start = 0) noexcept
{
    while (start < lines.size()) {
        if (lines.size() - start > name.size() && lines[start + name.size()] == ':' &&
            same_name(lines.substr(start, name.size()), name))
            return start;
        start = lines.find('\n', start) + 1;
    }
    return npos;
}

void check_value(std::string_view name, std::string_view value)
{
    if (!is_field_value(value))
        throw error(kind::internal, "the value of header " + std::string(name) + " has a line break or NUL");
}

void check_is_not_framing(std::string_view name)
{
    for (const std::string_view ours : {"content-length", "transfer-encoding", "connection"}) {
        if (same_name(name, ours))
            throw error(kind::internal, "the field " + std::string(name) + " is the server's to set");
    }
}

void check_ours(std::string_view name, std::string_view value)
{
    check_field(name, value);
    check_is_not_framing(name);
}

// What collect() writes into.
class memory_sink final : public sink
{
public:
    void write(std::string_view bytes) override { written_.append(bytes); }
    std::string take() { return std::move(written_); }

private:
    std::string written_;
};

std::string_view text_of(http::field name)
{
    const auto text = boost::beast::http::to_string(name);
    return {text.data(), text.size()};
}

} // namespace

void check_field(std::string_view name, std::string_view value)
{
    if (!is_token(name))
        throw error(kind::internal, "a header's name is no token");
    check_value(name, value);
}

response::response(http::status status, std::string_view content_type, std::string body)
    : status_(status), body_(std::move(body))
{
    check_value("Content-Type", content_type);
    append_line("Content-Type", content_type);
}

std::string_view response::header(http::field name) const noexcept
{
    return header(text_of(name));
}

std::string_view response::header(std::string_view name) const noexcept
{
    const std::string_view lines = lines_;
    const std::size_t start = find_line(lines, name);
    if (start == npos)
        return {};
    const std::size_t value = start + name.size() + 2;
    return lines.substr(value, lines.find('\r', value) - value);
}

response& response::set_header(http::field name, std::string_view value)
{
    return set_header(text_of(name), value);
}

response& response::set_header(std::string_view name, std::string_view value)
{
    const std::string owned(value); // it may lie in the line that goes
    check_ours(name, owned);
    remove_header(name);
    append_line(name, owned);
    return *this;
}

response& response::add_header(std::string_view name, std::string_view value)
{
    check_ours(name, value);
    append_line(name, std::string(value)); // it may lie in lines_, which moves
    return *this;
}

// `name` and `value` are checked, and lie outside of lines_.
void response::append_line(std::string_view name, std::string_view value)
{
    lines_.reserve(lines_.size() + name.size() + value.size() + 4); // a line is there whole or not at all
    lines_.append(name).append(": ", 2).append(value).append("\r\n", 2);
}

void response::remove_header(std::string_view name) noexcept
{
    std::size_t start = 0;
    while ((start = find_line(lines_, name, start)) != npos)
        lines_.erase(start, lines_.find('\n', start) + 1 - start);
}

response stream(std::string_view content_type, response::producer producer)
{
    response made(status::ok, content_type, {});
    made.set_producer(std::move(producer));
    return made;
}

std::string collect(const response& streamed)
{
    memory_sink all;
    if (streamed.is_streaming())
        streamed.body_producer()(all);
    else
        all.write(streamed.body());
    return all.take();
}

} // namespace heddle::http
