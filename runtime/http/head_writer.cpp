#include "http/head_writer.hpp"

#include "http/date.hpp"

#include <charconv>
#include <string_view>

namespace heddle::http {

using namespace std::string_view_literals; // whose size is known: a request in a pipeline costs little else

namespace {

void append_number(std::string& out, std::uint64_t n)
{
    char digits[20];
    out.append(digits, std::to_chars(std::begin(digits), std::end(digits), n).ptr);
}

// Always HTTP/1.1: the version says what the server can do. Source: RFC 9110 section 6.2.
void append_first_lines(std::string& out, http::status status)
{
    if (status == status::ok) {
        out += "HTTP/1.1 200 OK\r\nServer: heddle\r\n"sv;
        return;
    }
    const auto reason = boost::beast::http::obsolete_reason(status);
    out += "HTTP/1.1 "sv;
    append_number(out, static_cast<unsigned>(status));
    out += ' ';
    out.append(reason.data(), reason.size());
    out += "\r\nServer: heddle\r\n"sv;
}

bool has_no_body(http::status status) noexcept
{
    return static_cast<unsigned>(status) < 200 || status == status::no_content ||
           status == status::not_modified;
}

} // namespace

answer_framing frame_answer(const response& answer, const asker& client) noexcept
{
    using enum answer_framing::body_kind;
    answer_framing framing{.keep_alive = client.keep_alive && !answer.close()};
    if (has_no_body(answer.status())) {
        framing.body = none;
    } else if (!answer.is_streaming()) {
        framing.body = sized;
        framing.length = answer.body().size();
        framing.sends_body = !client.is_head && framing.length > 0;
    } else if (client.is_head) {
        framing.body = none; // how long it would be is not known without running it
    } else {
        framing.body = client.version >= 11 ? chunked : until_close;
        framing.sends_body = true;
        framing.keep_alive = framing.keep_alive && framing.body == chunked;
    }
    return framing;
}

void append_head(std::string& out, const response& answer, const asker& client, const answer_framing& framing)
{
    append_first_lines(out, answer.status());
    append_date(out);
    out += answer.header_lines();
    if (!framing.keep_alive)
        out += "Connection: close\r\n"sv;
    else if (client.version < 11)
        out += "Connection: keep-alive\r\n"sv;
    if (framing.body == answer_framing::body_kind::sized) {
        out += "Content-Length: "sv;
        append_number(out, framing.length);
        out += "\r\n"sv;
    } else if (framing.body == answer_framing::body_kind::chunked) {
        out += "Transfer-Encoding: chunked\r\n"sv;
    }
    out += "\r\n"sv;
}

} // namespace heddle::http
