#include "http/gzip.hpp"

#include <algorithm>
#include <bit>
#include <new>

namespace heddle::http {

namespace {

constexpr int gzip_format = 16; // added to the window's bits: zlib's way to ask for gzip's head and check sum
constexpr std::size_t least_room = 256;
constexpr std::uint64_t most_overhead = 64 * 1024; // bytes of heads and names; each 64 KiB cost 5 more
constexpr std::size_t most_given_at_once = 1024 * 1024 * 1024; // zlib counts in 32 bits

// The window's size is two to this: enough for the whole text if it is small.
int window_bits(std::uint64_t size) noexcept
{
    if (size == gzip_deflater::unknown_size)
        return 13;
    return std::clamp(static_cast<int>(std::bit_width(size)), 10, MAX_WBITS);
}

Bytef* bytes_of(const char* text) noexcept
{
    return reinterpret_cast<Bytef*>(const_cast<char*>(text)); // zlib does not write to its input
}

} // namespace

gzip_deflater::gzip_deflater(int level, std::uint64_t size)
{
    const int bits = window_bits(size);
    const int memory = std::min(bits - 6, 8); // 8 is zlib's own for the largest window
    if (::deflateInit2(&state_, level, Z_DEFLATED, bits + gzip_format, memory, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
}

gzip_deflater::~gzip_deflater()
{
    ::deflateEnd(&state_);
}

void gzip_deflater::run(std::string_view plain, int mode, std::string& out)
{
    do {
        const std::string_view piece = plain.substr(0, most_given_at_once);
        plain.remove_prefix(piece.size());
        state_.next_in = bytes_of(piece.data());
        state_.avail_in = static_cast<uInt>(piece.size());
        do {
            const std::size_t before = out.size();
            const std::size_t room = std::max(least_room, piece.size() / 4);
            out.resize(before + room);
            state_.next_out = bytes_of(out.data() + before);
            state_.avail_out = static_cast<uInt>(room);
            ::deflate(&state_, mode); // only a call out of turn fails
            out.resize(before + room - state_.avail_out);
        } while (state_.avail_out == 0);
    } while (!plain.empty());
}

gzip_inflater::gzip_inflater(const limits& limits) : limits_(limits)
{
    if (::inflateInit2(&stream_, MAX_WBITS + gzip_format) != Z_OK)
        throw std::bad_alloc();
}

gzip_inflater::~gzip_inflater()
{
    ::inflateEnd(&stream_);
}

gzip_inflater::step gzip_inflater::inflate(std::string_view packed, std::span<char> into)
{
    step total{};
    while (state_ == stage::going_on || state_ == stage::complete) {
        packed = packed.substr(0, most_given_at_once);
        into = into.first(std::min(into.size(), most_given_at_once));
        if (into.empty() || (state_ == stage::complete && packed.empty()))
            break;
        if (state_ == stage::complete)
            ::inflateReset(&stream_); // another member
        stream_.next_in = bytes_of(packed.data());
        stream_.avail_in = static_cast<uInt>(packed.size());
        stream_.next_out = bytes_of(into.data());
        stream_.avail_out = static_cast<uInt>(into.size());
        const int outcome = ::inflate(&stream_, Z_NO_FLUSH);
        const std::size_t taken = packed.size() - stream_.avail_in;
        const std::size_t made = into.size() - stream_.avail_out;
        account(outcome, taken, made);
        packed.remove_prefix(taken);
        into = into.subspan(made);
        total.taken += taken;
        total.made += made;
        if (outcome != Z_STREAM_END && (stream_.avail_in == 0 || stream_.avail_out == 0))
            break;
    }
    return total;
}

void gzip_inflater::account(int outcome, std::size_t taken, std::size_t made) noexcept
{
    taken_ += taken;
    made_ += made;
    if (made_ > limits_.bytes || (made_ > limits_.free_bytes && made_ / limits_.ratio > taken_))
        state_ = stage::too_large;
    else if (taken_ > made_ + made_ / 8 + most_overhead)
        state_ = stage::malformed; // what makes nothing could go on for ever
    else if (outcome == Z_STREAM_END)
        state_ = stage::complete;
    else if (outcome == Z_OK ||
             outcome == Z_BUF_ERROR) // the latter: nothing to do without more bytes or room
        state_ = stage::going_on;
    else
        state_ = stage::malformed;
}

} // namespace heddle::http
