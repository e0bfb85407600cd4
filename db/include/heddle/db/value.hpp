// One value on its way to or from a database. It looks at text and bytes and owns none: a parameter lives
// until its statement has ended, a column until the cursor moves on.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::db {

enum class value_type : std::uint8_t
{
    null,
    boolean,
    integer,
    real,
    decimal, // an exact number's digits, "-12.50"
    text,
    bytes,
    date,   // days since 1970-01-01: a parameter only, as are those below; columns have them as text
    moment, // microseconds since 1970-01-01T00:00:00 on a clock whose zone is not known
    instant // the same in UTC
};

class value
{
public:
    constexpr value() noexcept : integer_(0) {}

    static constexpr value null() noexcept { return {}; }
    static constexpr value boolean(bool b) noexcept { return {value_type::boolean, b ? 1 : 0}; }
    static constexpr value integer(std::int64_t n) noexcept { return {value_type::integer, n}; }
    static constexpr value real(double x) noexcept { return value{x}; }
    static constexpr value decimal(std::string_view digits) noexcept
    {
        return {value_type::decimal, digits.data(), digits.size()};
    }
    static constexpr value date(std::int64_t days) noexcept { return {value_type::date, days}; }
    static constexpr value moment(std::int64_t microseconds) noexcept
    {
        return {value_type::moment, microseconds};
    }
    static constexpr value instant(std::int64_t microseconds) noexcept
    {
        return {value_type::instant, microseconds};
    }
    static constexpr value text(std::string_view s) noexcept
    {
        return {value_type::text, s.data(), s.size()};
    }
    static value bytes(std::span<const std::byte> b) noexcept
    {
        return {value_type::bytes, reinterpret_cast<const char*>(b.data()), b.size()};
    }

    constexpr value_type type() const noexcept { return type_; }
    constexpr bool is_null() const noexcept { return type_ == value_type::null; }

    // Each may be asked for its own type only; as_text() also for a decimal, as_count() for date, moment and
    // instant.
    bool as_boolean() const noexcept
    {
        assert(type_ == value_type::boolean);
        return integer_ != 0;
    }
    std::int64_t as_integer() const noexcept
    {
        assert(type_ == value_type::integer);
        return integer_;
    }
    std::int64_t as_count() const noexcept
    {
        assert(type_ == value_type::date || type_ == value_type::moment || type_ == value_type::instant);
        return integer_;
    }
    double as_real() const noexcept
    {
        assert(type_ == value_type::real);
        return real_;
    }
    std::string_view as_text() const noexcept
    {
        assert(type_ == value_type::text || type_ == value_type::decimal);
        return {data_, size_};
    }
    std::span<const std::byte> as_bytes() const noexcept
    {
        assert(type_ == value_type::bytes);
        return {reinterpret_cast<const std::byte*>(data_), size_};
    }

private:
    constexpr value(value_type type, std::int64_t n) noexcept : type_(type), integer_(n) {}
    constexpr value(value_type type, const char* data, std::size_t size) noexcept
        : type_(type), size_(size), data_(data)
    {
    }
    constexpr explicit value(double x) noexcept : type_(value_type::real), real_(x) {}

    value_type type_ = value_type::null;
    std::size_t size_ = 0;
    union
    {
        std::int64_t integer_;
        double real_;
        const char* data_;
    };
};

// "integer", "text", ...: for messages.
std::string_view name_of(value_type type) noexcept;

} // namespace heddle::db
