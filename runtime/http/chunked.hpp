// The chunked transfer coding, both ways. Source: RFC 9112 section 7.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::http {

// Takes a chunked body apart, wherever its bytes are cut. Extensions and trailers are passed over: nobody
// acts on them, so nobody can be led by them. Both are bounded. Source: RFC 9112 sections 7.1.1 and 7.1.2.
class chunk_decoder
{
public:
    static constexpr std::size_t most_digits = 16;      // of a size, leading zeros among them
    static constexpr std::size_t most_extension = 1024; // bytes, of one chunk
    // Bytes of extensions and trailers that are not outweighed by those of the body before them.
    static constexpr std::size_t most_overhead = 16 * 1024;

    struct step
    {
        std::size_t used = 0;       // bytes of the input that need not come again
        std::string_view data = {}; // a piece of the body, inside the input
    };

    // Goes on to the end of the input or of a piece of the body, whichever is first.
    step next(std::string_view input) noexcept;

    bool is_done() const noexcept { return state_ == state::done; } // what follows is another message
    bool is_malformed() const noexcept { return state_ == state::malformed; }

private:
    enum class state
    {
        size_first, // the first digit of a size must come
        size,
        size_space, // before the ';' of an extension
        extension,
        size_line_feed,
        data,
        data_return,
        data_line_feed,
        trailer_first, // at the beginning of a line
        trailer_name,
        trailer,
        trailer_line_feed,
        last_line_feed,
        done,
        malformed,
    };

    state after(char c) noexcept;
    state after_size(char c) noexcept;
    state after_extension(state next) noexcept;
    state spend(state next) noexcept;

    state state_ = state::size_first;
    std::uint64_t left_ = 0; // bytes of this chunk that have not come yet
    std::size_t digits_ = 0;
    std::size_t extension_ = 0; // bytes of this chunk's
    std::uint64_t overhead_ = 0;
};

// Adds one chunk to `out`. An empty one would be the end of the body, so nothing is added for it.
void append_chunk(std::string& out, std::string_view data);

inline constexpr std::string_view last_chunk = "0\r\n\r\n";

} // namespace heddle::http
