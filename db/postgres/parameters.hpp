// The values of one statement's parameters, converted to the types that the server has described: what does
// not fit is an error here, which names it, and no round trip.
#pragma once

#include <heddle/db/value.hpp>

#include "postgres/oids.hpp"

#include <array>
#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::db::pg {

// The protocol counts parameters in 16 bits.
inline constexpr std::size_t most_parameters = 65'535;

// In the form of PQsendQueryPrepared's arguments. Looks at what the values look at.
class parameters
{
public:
    // Throws: error (value) naming parameter, value and type; error (internal) if there are too few or too
    // many, or one cannot be given as that type at all.
    void bind(std::span<const value> values, std::span<const Oid> types, std::string_view sql);

    int count() const noexcept { return static_cast<int>(values_.size()); }
    const char* const* values() const noexcept { return values_.data(); }
    const int* lengths() const noexcept { return lengths_.data(); }
    const int* formats() const noexcept { return formats_.data(); }

private:
    struct position
    {
        std::size_t index;
        Oid type;
    };

    void bind_one(position at, const value& from);
    void bind_boolean(position at, const value& from);
    void bind_integer(position at, const value& from);
    void bind_real(position at, const value& from);
    void bind_text(position at, std::string_view from);
    void bind_time(position at, const value& from);
    void bind_bytes(position at, std::span<const std::byte> from);

    template <class T>
    void set_number(position at, T number);
    void set_binary(position at, const char* data, std::size_t size);
    void set_text(position at, std::string text); // the server reads it

    std::vector<const char*> values_;
    std::vector<int> lengths_;
    std::vector<int> formats_;
    std::vector<std::array<char, 8>> numbers_;
    std::deque<std::string> texts_; // a deque: what has been pointed to stays where it is
};

} // namespace heddle::db::pg
