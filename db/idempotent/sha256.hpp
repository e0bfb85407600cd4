// SHA-256, for digests that nobody can find another text for. Source: FIPS 180-4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::idempotent {

class sha256
{
public:
    static constexpr std::size_t size = 32; // bytes

    void add(std::string_view bytes) noexcept;

    // The bytes of the digest. Nothing may be added afterwards.
    std::string finish();

private:
    static constexpr std::size_t block_size = 64;

    void digest_block() noexcept;

    std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, block_size> block_{};
    std::size_t filled_ = 0; // of block_
    std::uint64_t total_ = 0;
};

} // namespace heddle::idempotent
