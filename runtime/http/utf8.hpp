// One well-formed UTF-8 sequence at a time. Source: Unicode 15, table 3-7.
#pragma once

#include <cstddef>

namespace heddle::http {

// The length of the sequence at `at`, 1 to 4; 0 if there is none. `at` is before `end`.
inline std::size_t utf8_length(const char* at, const char* end) noexcept
{
    const auto byte = [at](std::size_t i) { return static_cast<unsigned char>(at[i]); };
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
    const auto left = static_cast<std::size_t>(end - at);
    const unsigned char first = byte(0);

    if (first < 0x80)
        return 1;
    if (first < 0xC2 || first > 0xF4)
        return 0;
    if (first < 0xE0)
        return left >= 2 && follows(1) ? 2 : 0;
    if (first < 0xF0) {
        if (left < 3 || !follows(1) || !follows(2))
            return 0;
        const bool overlong = first == 0xE0 && byte(1) < 0xA0;
        const bool surrogate = first == 0xED && byte(1) > 0x9F;
        return overlong || surrogate ? 0 : 3;
    }
    if (left < 4 || !follows(1) || !follows(2) || !follows(3))
        return 0;
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) > 0x8F;
    return overlong || beyond ? 0 : 4;
}

} // namespace heddle::http
