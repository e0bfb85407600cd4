#include <heddle/http/request_body.hpp>

#include <heddle/http/body_source.hpp>
#include <heddle/http/problem.hpp>

#include <algorithm>

namespace heddle::http {

namespace {

constexpr std::size_t most_kept = 64 * 1024; // bytes: a larger body's memory is not kept for the next one

constexpr std::size_t least_piece = 4 * 1024; // bytes
constexpr std::size_t largest_piece = 256 * 1024;

[[noreturn]] void refuse_size(std::uint64_t limit)
{
    throw rejected(
        problem{status::payload_too_large, "the body may have " + std::to_string(limit) + " bytes"});
}

} // namespace

void request_body::open(const origin& origin, std::uint64_t limit) noexcept
{
    origin_ = origin;
    limit_ = limit;
}

void request_body::assign(std::string&& bytes) noexcept
{
    clear();
    bytes_ = std::move(bytes);
}

void request_body::clear() noexcept
{
    if (bytes_.capacity() > most_kept)
        std::string().swap(bytes_);
    bytes_.clear();
    given_ = 0;
    origin_ = {};
    limit_ = std::numeric_limits<std::uint64_t>::max();
    taken_ = 0;
    in_pieces_ = false;
}

void request_body::set_origin(const origin& origin) noexcept
{
    const std::uint64_t limit = limit_;
    clear();
    open(origin, limit);
}

std::string_view request_body::all()
{
    if (in_pieces_)
        throw error(kind::internal, "a part of the body was read already, and is not kept");
    std::size_t used = bytes_.size();
    try {
        while (origin_.source) {
            if (used == bytes_.size()) // room is made, and filled with zeros, once for many small chunks
                bytes_.resize(used + next_piece(used));
            used += read_on(std::span(bytes_).subspan(used));
        }
    } catch (...) {
        bytes_.resize(used);
        throw;
    }
    bytes_.resize(used);
    return bytes_;
}

// How much room for more there should be. No client makes us hold much more than it has sent.
std::size_t request_body::next_piece(std::size_t used) const noexcept
{
    const std::size_t usual = std::clamp(used, least_piece, largest_piece);
    if (!origin_.length)
        return usual;
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(*origin_.length - taken_, 1, usual));
}

std::size_t request_body::read_some(std::span<char> into)
{
    if (into.empty())
        return 0; // and not the end
    if (given_ < bytes_.size()) {
        const std::size_t count = bytes_.copy(into.data(), into.size(), given_);
        given_ += count;
        return count;
    }
    if (!origin_.source)
        return 0;
    in_pieces_ = true;
    return read_on(into);
}

// A body that is said to be too large is refused before it is sent.
void request_body::begin() const
{
    if (origin_.is_encoded)
        throw rejected(
            problem{status::unsupported_media_type, "the body's Content-Encoding is not taken here"});
    if (origin_.length.value_or(0) > limit_)
        refuse_size(limit_);
}

std::size_t request_body::read_on(std::span<char> into)
{
    if (taken_ == 0)
        begin();
    const std::size_t count = origin_.source->read_some(into);
    if (count == 0)
        origin_.source = nullptr;
    taken_ += count;
    if (taken_ > limit_)
        refuse_size(limit_);
    return count;
}

std::optional<std::uint64_t> request_body::length() const noexcept
{
    if (origin_.length || origin_.source)
        return origin_.length;
    return bytes_.size();
}

} // namespace heddle::http
