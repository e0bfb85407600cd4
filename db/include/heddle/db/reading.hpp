// Statements that read, before they are sent: those that do not need each other's results can go to the
// database together, in one round trip where it can take them so.
//
//   auto [head, events] = reads.together(db::find<order>("SELECT ... WHERE id = $1", id),
//                                        db::query<event>("SELECT ... WHERE order_id = $1", id));
#pragma once

#include <heddle/db/complete.hpp>
#include <heddle/db/row.hpp>
#include <heddle/db/sql.hpp>
#include <heddle/db/value.hpp>

#include <cstddef>
#include <forward_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::db {

// Made by query(), find() and one() below; gives a Result. Keeps its parameters; the text must outlive it.
// Throws, when it is made: error(kind::value), for a parameter that cannot be one.
template <class Result>
class reading
{
public:
    using function = Result (*)(cursor& rows, std::string_view sql);

    template <class... Parameters>
    explicit reading(function read, const statement_text& text, const Parameters&... parameters)
        : read_(read), text_(text)
    {
        values_.reserve(sizeof...(Parameters));
        (values_.push_back(kept(codec<Parameters>::encode(parameters))), ...);
    }
    reading(reading&&) noexcept = default;
    reading& operator=(reading&&) noexcept = default;

    const statement_text& text() const noexcept { return text_; }
    std::span<const value> values() const noexcept { return values_; }
    Result read(cursor& rows, std::string_view sql) const { return read_(rows, sql); }

private:
    // A value that looks at text of its own: a list's elements stay where they are when it is moved.
    value kept(const value& from)
    {
        switch (from.type()) {
        case value_type::text:
            return value::text(texts_.emplace_front(from.as_text()));
        case value_type::decimal:
            return value::decimal(texts_.emplace_front(from.as_text()));
        case value_type::bytes: {
            const auto bytes = from.as_bytes();
            const auto& copy =
                texts_.emplace_front(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            return value::bytes(std::as_bytes(std::span(copy)));
        }
        default:
            return from;
        }
    }

    function read_;
    statement_text text_;
    std::vector<value> values_;
    std::forward_list<std::string> texts_;
};

// All rows.
template <class T, class... Parameters>
reading<std::vector<T>> query(const statement_text& text, const Parameters&... parameters)
{
    static_assert(complete_value<T>, "rows are read into complete values: no pointers, views or db::row");
    return reading<std::vector<T>>([](cursor& rows, std::string_view) { return all_rows<T>(rows); }, text,
                                   parameters...);
}

// The row, if there is one. More than one is a row_error.
template <class T, class... Parameters>
reading<std::optional<T>> find(const statement_text& text, const Parameters&... parameters)
{
    static_assert(complete_value<T>, "rows are read into complete values: no pointers, views or db::row");
    return reading<std::optional<T>>(&row_if_any<T>, text, parameters...);
}

// The one row there must be.
template <class T, class... Parameters>
reading<T> one(const statement_text& text, const Parameters&... parameters)
{
    static_assert(complete_value<T>, "rows are read into complete values: no pointers, views or db::row");
    return reading<T>(&one_row<T>, text, parameters...);
}

} // namespace heddle::db
