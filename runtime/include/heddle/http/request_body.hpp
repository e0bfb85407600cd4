// A request's body: left with the client until somebody asks for it, then read in pieces or as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::http {

class body_source;

// One fiber reads it. What request says about limits and errors is done here.
class request_body
{
public:
    struct origin
    {
        body_source* source = nullptr;            // nullptr: all of it is here
        std::optional<std::uint64_t> length = {}; // bytes, if the client has said so
        bool is_encoded = false;                  // by a Content-Encoding that has not been taken off
    };

    // `origin.source` must outlive the reading.
    void open(const origin& origin, std::uint64_t limit) noexcept;
    void assign(std::string&& bytes) noexcept;
    void append(std::string_view bytes) { bytes_.append(bytes); }
    void clear() noexcept; // keeps the memory, within bounds

    std::string_view all();
    std::size_t read_some(std::span<char> into);

    std::optional<std::uint64_t> length() const noexcept;
    void set_limit(std::uint64_t limit) noexcept { limit_ = limit; }
    const origin& from() const noexcept { return origin_; }
    void set_origin(const origin& origin) noexcept; // in place of whatever there was

private:
    void begin() const;
    std::size_t read_on(std::span<char> into);
    std::size_t next_piece(std::size_t used) const noexcept;

    std::string bytes_;     // what is kept of it
    std::size_t given_ = 0; // of bytes_, by read_some()
    origin origin_;
    std::uint64_t limit_ = std::numeric_limits<std::uint64_t>::max(); // bytes
    std::uint64_t taken_ = 0;                                         // from the source
    bool in_pieces_ = false; // some were given away, and are not in bytes_
};

} // namespace heddle::http
