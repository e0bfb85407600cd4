// Text and numbers as JSON, appended to one string: what every answer with a body passes through.

#include <heddle/http/json.hpp>

#include "http/utf8.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace heddle::http {
namespace {

bool is_plain(char c) noexcept
{
    return c >= ' ' && c != '"' && c != '\\' && c != '\x7f'; // bytes above 127 are negative, and not plain
}

void append_escaped(std::string& out, char c)
{
    constexpr char digits[] = "0123456789abcdef";
    switch (c) {
    case '"':
        out += "\\\"";
        return;
    case '\\':
        out += "\\\\";
        return;
    case '\n':
        out += "\\n";
        return;
    case '\r':
        out += "\\r";
        return;
    case '\t':
        out += "\\t";
        return;
    default:
        break;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += "\\u00";
    out += digits[byte >> 4];
    out += digits[byte & 15];
}

template <class T>
void append_number(std::string& out, T number)
{
    std::array<char, 32> text; // 24 is the longest double, 20 the longest integer
    const auto written = std::to_chars(text.data(), text.data() + text.size(), number);
    out.append(text.data(), written.ptr);
}

} // namespace

void append_json(std::string& out, std::string_view text)
{
    const char* at = text.data();
    const char* const end = at + text.size();
    out += '"';
    while (at != end) {
        const char* const run = at;
        while (at != end && is_plain(*at))
            ++at;
        out.append(run, at);
        if (at == end)
            break;
        const std::size_t length = utf8_length(at, end);
        if (length == 1)
            append_escaped(out, *at);
        else if (length == 0)
            out += "\xEF\xBF\xBD"; // U+FFFD: the reader must get valid JSON, whatever lay in the database
        else
            out.append(at, length);
        at += length == 0 ? 1 : length;
    }
    out += '"';
}

void append_json(std::string& out, double number)
{
    if (std::isfinite(number))
        append_number(out, number);
    else
        out += "null";
}

void append_json(std::string& out, std::int64_t number)
{
    append_number(out, number);
}

void append_json(std::string& out, std::uint64_t number)
{
    append_number(out, number);
}

} // namespace heddle::http
