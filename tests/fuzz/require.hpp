// What a fuzz target promises, for every input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// A promise that is broken ends the process, and libFuzzer keeps the input.
inline void require(bool holds)
{
    if (!holds)
        std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) noexcept
{
    return {reinterpret_cast<const char*>(data), size};
}
