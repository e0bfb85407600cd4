// SipHash-2-4 with 128 bits: a short keyed hash. With a secret key nobody outside can aim at a value; with a
// known one it tells contents apart, but is no proof against who makes two on purpose. Source: Aumasson,
// Bernstein: SipHash (2012), and their reference code for 128 bits.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace heddle::http {

using hash_key = std::array<std::uint64_t, 2>;
using hash_value = std::array<std::uint64_t, 2>;

hash_value siphash(const hash_key& key, std::string_view text) noexcept;

// A key that nobody knows. Throws: std::exception, when the system has no random numbers.
hash_key random_hash_key();

} // namespace heddle::http
