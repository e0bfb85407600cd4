#include <heddle/http/escape.hpp>

#include "http/token.hpp"
#include "http/utf8.hpp"

#include <algorithm>

namespace heddle::http {
namespace {

constexpr char upper_digits[] = "0123456789ABCDEF";
constexpr char lower_digits[] = "0123456789abcdef";

bool is_clean_text(std::string_view text) noexcept
{
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        const std::size_t length = utf8_length(at, end);
        if (length == 0 || *at == '\0')
            return false;
        at += length;
    }
    return true;
}

} // namespace

std::string escape(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        if (is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~') {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += upper_digits[byte >> 4];
        out += upper_digits[byte & 15];
    }
    return out;
}

std::optional<std::string> unescape(std::string_view text, plus plus)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i != text.size(); ++i) {
        if (text[i] == '+' && plus == plus::is_space) {
            out += ' ';
        } else if (text[i] != '%') {
            out += text[i];
        } else {
            if (text.size() - i < 3)
                return std::nullopt;
            const int high = hex_value(text[i + 1]);
            const int low = hex_value(text[i + 2]);
            if (high < 0 || low < 0)
                return std::nullopt;
            out += static_cast<char>(high * 16 + low);
            i += 2;
        }
    }
    if (!is_clean_text(out))
        return std::nullopt;
    return out;
}

std::string printable(std::string_view text, std::size_t max_bytes)
{
    std::string out;
    out.reserve(std::min(text.size(), max_bytes) + 3);
    for (const char c : text.substr(0, max_bytes)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 32 && byte <= 126 && c != '"' && c != '\\') {
            out += c;
            continue;
        }
        out += "\\x";
        out += lower_digits[byte >> 4];
        out += lower_digits[byte & 15];
    }
    if (text.size() > max_bytes)
        out += "...";
    return out;
}

} // namespace heddle::http
