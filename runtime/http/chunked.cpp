#include "http/chunked.hpp"

#include "http/token.hpp"

#include <algorithm>
#include <charconv>

namespace heddle::http {

namespace {

} // namespace

chunk_decoder::step chunk_decoder::next(std::string_view input) noexcept
{
    for (std::size_t i = 0; i < input.size(); ++i) {
        if (state_ == state::done || state_ == state::malformed)
            return {.used = i};
        if (state_ == state::data) {
            const std::string_view data =
                input.substr(i, static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size() - i)));
            left_ -= data.size();
            overhead_ -= std::min<std::uint64_t>(overhead_, data.size());
            if (left_ == 0)
                state_ = state::data_return;
            return {.used = i + data.size(), .data = data};
        }
        state_ = after(input[i]);
    }
    return {.used = input.size()};
}

chunk_decoder::state chunk_decoder::after(char c) noexcept
{
    switch (state_) {
    case state::size_first:
        left_ = 0;
        digits_ = extension_ = 0;
        return hex_value(c) < 0 ? state::malformed : after_size(c);
    case state::size:
        return after_size(c);
    case state::size_space: // before a ';', or because the writer has padded the line
        if (c == ' ' || c == '\t')
            return after_extension(state::size_space);
        if (c == ';')
            return after_extension(state::extension);
        return c == '\r' ? state::size_line_feed : state::malformed;
    case state::extension:
        if (c == '\r')
            return state::size_line_feed;
        return is_control(c) ? state::malformed : after_extension(state::extension);
    case state::size_line_feed:
        if (c != '\n')
            return state::malformed;
        return left_ == 0 ? state::trailer_first : state::data;
    case state::data_return:
        return c == '\r' ? state::data_line_feed : state::malformed;
    case state::data_line_feed:
        return c == '\n' ? state::size_first : state::malformed;
    case state::trailer_first:
        if (c == '\r')
            return state::last_line_feed;
        return is_token({&c, 1}) ? spend(state::trailer_name) : state::malformed;
    case state::trailer_name:
        if (c == ':')
            return spend(state::trailer);
        return is_token({&c, 1}) ? spend(state::trailer_name) : state::malformed;
    case state::trailer:
        if (c == '\r')
            return state::trailer_line_feed;
        return is_control(c) ? state::malformed : spend(state::trailer);
    case state::trailer_line_feed:
        return c == '\n' ? state::trailer_first : state::malformed;
    case state::last_line_feed:
        return c == '\n' ? state::done : state::malformed;
    default:
        return state::malformed;
    }
}

chunk_decoder::state chunk_decoder::after_size(char c) noexcept
{
    if (c == '\r')
        return state::size_line_feed;
    if (c == ';')
        return after_extension(state::extension);
    if (c == ' ' || c == '\t')
        return after_extension(state::size_space);
    const int digit = hex_value(c);
    if (digit < 0 || ++digits_ > most_digits || left_ >> 59 != 0) // as much as no limit would see
        return state::malformed;
    left_ = left_ << 4 | static_cast<std::uint64_t>(digit);
    return state::size;
}

chunk_decoder::state chunk_decoder::after_extension(state next) noexcept
{
    return ++extension_ > most_extension ? state::malformed : spend(next);
}

chunk_decoder::state chunk_decoder::spend(state next) noexcept
{
    return ++overhead_ > most_overhead ? state::malformed : next;
}

void append_chunk(std::string& out, std::string_view data)
{
    if (data.empty())
        return;
    char digits[16];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), data.size(), 16).ptr;
    out.append(digits, end);
    out += "\r\n";
    out += data;
    out += "\r\n";
}

} // namespace heddle::http
