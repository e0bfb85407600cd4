// Reads a statement's parameter names once, then binds by them.
#include "sqlite/parameters.hpp"

#include <heddle/db/error.hpp>

#include "time_text.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

namespace heddle::db::lite {

namespace {

[[noreturn]] void refuse_name(const char* name, std::string_view sql)
{
    throw error(kind::internal, "parameters are written $1, $2, ...; this is " +
                                    (name ? "\"" + std::string(name) + "\"" : std::string("a plain ?")) +
                                    " in: " + std::string(sql));
}

// The n of "$n"; 0 for any other name.
int number_in(std::string_view name) noexcept
{
    if (name.size() < 2 || name[0] != '$' || name[1] == '0')
        return 0;
    int number = 0;
    const auto* end = name.data() + name.size();
    const auto [rest, failure] = std::from_chars(name.data() + 1, end, number);
    return failure == std::errc{} && rest == end && number > 0 ? number : 0;
}

int bind_real(sqlite3_stmt* statement, int position, double x)
{
    if (std::isnan(x)) // SQLite would silently keep NULL
        throw error(kind::value, "SQLite cannot keep a number that is none (NaN)");
    return sqlite3_bind_double(statement, position, x);
}

// SQLite copies it: the text lives no longer than this call.
int bind_time(sqlite3_stmt* statement, int position, const value& v)
{
    constexpr std::int64_t day = 86'400'000'000; // microseconds
    char space[longest_time];
    const std::int64_t n = v.as_count();
    const std::int64_t days = n >= 0 ? n / day : (n + 1) / day - 1;
    const auto zone = v.type() == value_type::instant ? zone::utc : zone::none;
    const auto text = v.type() == value_type::date ? write_date(n, space)
                                                   : write_moment({days, n - days * day}, zone, space);
    return sqlite3_bind_text(statement, position, text.data(), static_cast<int>(text.size()),
                             SQLITE_TRANSIENT);
}

int bind_one(sqlite3_stmt* statement, int position, const value& v)
{
    switch (v.type()) {
    case value_type::null:
        return sqlite3_bind_null(statement, position);
    case value_type::boolean:
        return sqlite3_bind_int64(statement, position, v.as_boolean() ? 1 : 0);
    case value_type::integer:
        return sqlite3_bind_int64(statement, position, v.as_integer());
    case value_type::real:
        return bind_real(statement, position, v.as_real());
    case value_type::date:
    case value_type::moment:
    case value_type::instant:
        return bind_time(statement, position, v);
    case value_type::decimal:
    case value_type::text: { // a null pointer would be NULL, not the empty text
        const auto text = v.as_text();
        return sqlite3_bind_text64(statement, position, text.data() ? text.data() : "", text.size(),
                                   SQLITE_STATIC, SQLITE_UTF8);
    }
    case value_type::bytes: {
        const auto bytes = v.as_bytes();
        const void* data = bytes.data() ? static_cast<const void*>(bytes.data()) : "";
        return sqlite3_bind_blob64(statement, position, data, bytes.size(), SQLITE_STATIC);
    }
    }
    return SQLITE_MISUSE;
}

} // namespace

parameters::parameters(sqlite3_stmt* statement, std::string_view sql)
{
    const int count = sqlite3_bind_parameter_count(statement);
    numbers_.reserve(static_cast<std::size_t>(count));
    for (int i = 1; i <= count; ++i) {
        const char* name = sqlite3_bind_parameter_name(statement, i);
        const int number = name ? number_in(name) : 0;
        if (number == 0)
            refuse_name(name, sql);
        numbers_.push_back(number);
        expected_ = std::max(expected_, static_cast<std::size_t>(number));
    }
    // Names are distinct: as many as the largest number means that none is missing.
    if (expected_ != numbers_.size())
        throw error(kind::internal, "the parameters up to $" + std::to_string(expected_) +
                                        " are not all used in: " + std::string(sql));
}

void parameters::bind(sqlite3_stmt* statement, std::span<const value> values, std::string_view sql) const
{
    if (values.size() != expected_)
        throw error(kind::internal, std::to_string(values.size()) + " values for " +
                                        std::to_string(expected_) + " parameters in: " + std::string(sql));
    int position = 0;
    for (const int number : numbers_) {
        const int code = bind_one(statement, ++position, values[static_cast<std::size_t>(number) - 1]);
        if (code == SQLITE_TOOBIG)
            throw error(kind::value, "the value of $" + std::to_string(number) + " is too large", "18");
        if (code != SQLITE_OK)
            throw error(kind::internal,
                        "the value of $" + std::to_string(number) +
                            " could not be bound: " + sqlite3_errstr(code),
                        std::to_string(code));
    }
}

} // namespace heddle::db::lite
