#include "http/head_search.hpp"

namespace heddle::http {

head_search find_head_end(std::string_view bytes, std::size_t from) noexcept
{
    using enum head_search::state;
    for (std::size_t at = from;;) {
        const std::size_t line_feed = bytes.find('\n', at);
        if (line_feed == std::string_view::npos)
            return {incomplete, bytes.size()};
        if (line_feed == 0 || bytes[line_feed - 1] != '\r')
            return {malformed, line_feed};
        const std::string_view next = bytes.substr(line_feed + 1, 2);
        if (next.empty() || next == "\r")
            return {incomplete, line_feed};
        if (next == "\r\n")
            return {complete, line_feed + 3};
        if (next[0] == ' ' || next[0] == '\t' || next[0] == '\r')
            return {malformed, line_feed + 1};
        at = line_feed + 1;
    }
}

} // namespace heddle::http
