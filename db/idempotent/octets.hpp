// Bytes that are kept in a string, as HTTP has them, for columns of bytes.
#pragma once

#include <heddle/db/codec.hpp>

#include <span>
#include <string>

namespace heddle::idempotent {

struct octets
{
    std::string bytes;
};

} // namespace heddle::idempotent

template <>
struct heddle::db::codec<heddle::idempotent::octets>
{
    static constexpr const char* wanted = "bytes";
    static value encode(const idempotent::octets& from)
    {
        return value::bytes(std::as_bytes(std::span(from.bytes)));
    }
    static bool decode(const value& from, idempotent::octets& to)
    {
        if (from.type() != value_type::bytes)
            return false;
        const auto bytes = from.as_bytes();
        to.bytes.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return true;
    }
};
