// Escapes what a record must not contain: line ends, control bytes (a terminal obeys them) and invalid UTF-8.
#include "base/log_line.hpp"

#include <algorithm>
#include <array>

namespace heddle::log {

namespace {

constexpr char hex[] = "0123456789abcdef";

// The length of the valid UTF-8 sequence at the start of
// `text`, or 0. C1 control characters count as invalid.
std::size_t sequence_length(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    const std::size_t length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (length == 0 || text.size() < length)
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0) != 0x80)
            return 0;
    const bool control = first == 0xC2 && byte(1) < 0xA0;
    const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    const bool beyond = first == 0xF4 && byte(1) > 0x8F;
    return control || overlong || surrogate || beyond ? 0 : length;
}

void append_byte(std::string& out, char c, format format)
{
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
        out += "\\n";
    else if (c == '\r')
        out += "\\r";
    else if (c == '\t')
        out += "\\t";
    else if (byte < 0x20 || byte == 0x7F || byte >= 0x80) {
        out += format == format::json ? "\\u00" : "\\x";
        out += hex[byte >> 4];
        out += hex[byte & 15];
    } else {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
}

void append_escaped(std::string& out, std::string_view text, format format)
{
    const auto kept = text.substr(0, longest_value);
    for (std::size_t i = 0; i < kept.size();) {
        const auto length = static_cast<unsigned char>(kept[i]) < 0x80 ? 0 : sequence_length(kept.substr(i));
        if (length == 0)
            append_byte(out, kept[i++], format);
        else {
            out += kept.substr(i, length);
            i += length;
        }
    }
    if (kept.size() < text.size())
        out += "...(" + std::to_string(text.size() - kept.size()) + " bytes more)";
}

bool needs_quotes(std::string_view value)
{
    return value.empty() || value.size() > longest_value ||
           std::any_of(value.begin(), value.end(), [](char c) {
               return static_cast<unsigned char>(c) <= 0x20 || c == '"' || c == '\\' || c == '=' || c == 0x7F;
           });
}

void append_quoted(std::string& out, std::string_view text, format format)
{
    out += '"';
    append_escaped(out, text, format);
    out += '"';
}

} // namespace

std::string text_line(std::string_view message, fields fields)
{
    std::string line;
    line.reserve(256);
    append_escaped(line, message, format::text);
    for (const auto* field = fields.begin(); field != fields.begin() + std::min(fields.size(), most_fields);
         ++field) {
        line += ' ';
        append_escaped(line, field->first, format::text);
        line += '=';
        if (needs_quotes(field->second))
            append_quoted(line, field->second, format::text);
        else
            append_escaped(line, field->second, format::text);
    }
    return line;
}

std::string json_members(std::string_view message, fields fields)
{
    std::string line;
    line.reserve(256);
    line += "\"message\":";
    append_quoted(line, message, format::json);
    for (const auto* field = fields.begin(); field != fields.begin() + std::min(fields.size(), most_fields);
         ++field) {
        line += ',';
        append_quoted(line, field->first, format::json);
        line += ':';
        append_quoted(line, field->second, format::json);
    }
    return line;
}

} // namespace heddle::log
