// gzip both ways, piece by piece, over zlib: plain code that knows neither requests nor fibers. What is
// inflated came from outside, so it is bounded.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace heddle::http {

// Source: RFC 1952; zlib's manual for deflate().
class gzip_deflater
{
public:
    static constexpr std::uint64_t unknown_size = std::numeric_limits<std::uint64_t>::max();

    // `level`: 1 fastest to 9 smallest. `size`: of all that will be written, in bytes; a small one costs less
    // memory (about 8 KiB to 270 KiB; 100 KiB for one that is not known). Throws: std::bad_alloc.
    explicit gzip_deflater(int level, std::uint64_t size = unknown_size);
    ~gzip_deflater();
    gzip_deflater(const gzip_deflater&) = delete;
    gzip_deflater& operator=(const gzip_deflater&) = delete;

    // Appends to `out` what there is; the rest of it comes with a later call.
    void write(std::string_view plain, std::string& out) { run(plain, Z_NO_FLUSH, out); }
    // Appends all that was written so far, so that the reader can have it now.
    void flush(std::string& out) { run({}, Z_SYNC_FLUSH, out); }
    // The last call.
    void finish(std::string& out) { run({}, Z_FINISH, out); }

private:
    void run(std::string_view plain, int mode, std::string& out);

    z_stream state_{}; // zlib points back to it: it stays where it is
};

// Several members in a row are one text, as RFC 1952 section 2.2 wants it.
class gzip_inflater
{
public:
    struct limits
    {
        std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max(); // that may come out
        // Bytes out for each byte in, once there are more than `free_bytes`. deflate can have 1032; text has
        // 3 to 20, and what repeats itself in every line 100.
        std::uint64_t ratio = 200;
        std::uint64_t free_bytes = 1024 * 1024;
    };
    enum class stage
    {
        going_on,  // wants more bytes, or more room
        complete,  // the text is over, if nothing more comes
        malformed, // no gzip, its check sum is wrong, or it makes nothing; for good
        too_large, // more came out than may; for good
    };
    struct step
    {
        std::size_t taken; // of the bytes given
        std::size_t made;  // of the room given
    };

    // Throws: std::bad_alloc.
    explicit gzip_inflater(const limits& limits);
    ~gzip_inflater();
    gzip_inflater(const gzip_inflater&) = delete;
    gzip_inflater& operator=(const gzip_inflater&) = delete;

    // Inflates as much as `packed` has and `into` takes. It is at its end when the source is, and state() is
    // complete: a text that is cut off stays `going_on`. All is out when there was room left.
    // What came out before it is malformed or too large is not to be believed.
    step inflate(std::string_view packed, std::span<char> into);

    stage state() const noexcept { return state_; }

private:
    void account(int outcome, std::size_t taken, std::size_t made) noexcept;

    z_stream stream_{}; // zlib points back to it: it stays where it is
    limits limits_;
    std::uint64_t taken_ = 0;
    std::uint64_t made_ = 0;
    stage state_ = stage::going_on;
};

} // namespace heddle::http
