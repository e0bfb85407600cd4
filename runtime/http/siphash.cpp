#include "http/siphash.hpp"

#include <bit>
#include <cstddef>
#include <cstring>
#include <random>

namespace heddle::http {

namespace {

// The reference code reads little-endian numbers.
std::uint64_t number_at(const char* bytes, std::size_t count = 8) noexcept
{
    std::uint64_t n = 0;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&n, bytes, count);
    } else {
        for (std::size_t i = 0; i != count; ++i)
            n |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    return n;
}

struct state
{
    std::uint64_t a, b, c, d;

    void mix(int rounds) noexcept
    {
        while (rounds-- > 0) {
            a += b;
            b = std::rotl(b, 13) ^ a;
            a = std::rotl(a, 32);
            c += d;
            d = std::rotl(d, 16) ^ c;
            a += d;
            d = std::rotl(d, 21) ^ a;
            c += b;
            b = std::rotl(b, 17) ^ c;
            c = std::rotl(c, 32);
        }
    }

    void take(std::uint64_t word) noexcept
    {
        d ^= word;
        mix(2);
        a ^= word;
    }

    std::uint64_t give() noexcept
    {
        mix(4);
        return a ^ b ^ c ^ d;
    }
};

} // namespace

hash_value siphash(const hash_key& key, std::string_view text) noexcept
{
    state s{key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d ^ 0xee, key[0] ^ 0x6c7967656e657261,
            key[1] ^ 0x7465646279746573};
    const std::size_t whole = text.size() / 8 * 8;
    for (std::size_t at = 0; at != whole; at += 8)
        s.take(number_at(text.data() + at));
    s.take(number_at(text.data() + whole, text.size() - whole) | std::uint64_t{text.size()} << 56);
    s.c ^= 0xee;
    const std::uint64_t first = s.give();
    s.b ^= 0xdd;
    return {first, s.give()};
}

hash_key random_hash_key()
{
    std::random_device device;
    hash_key key;
    for (std::uint64_t& part : key)
        part = std::uint64_t{device()} << 32 | device();
    return key;
}

} // namespace heddle::http
