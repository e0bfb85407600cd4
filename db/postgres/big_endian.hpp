// Numbers in the byte order of PostgreSQL's binary formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace heddle::db::pg {

template <class T>
T read_big_endian(const char* from) noexcept
{
    std::make_unsigned_t<T> number = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        number = static_cast<std::make_unsigned_t<T>>(number << 8 | static_cast<unsigned char>(from[i]));
    return static_cast<T>(number);
}

template <class T>
void write_big_endian(T number, char* to) noexcept
{
    auto rest = static_cast<std::make_unsigned_t<T>>(number);
    for (std::size_t i = sizeof(T); i-- > 0; rest = static_cast<std::make_unsigned_t<T>>(rest >> 4 >> 4))
        to[i] = static_cast<char>(rest & 0xff);
}

} // namespace heddle::db::pg
