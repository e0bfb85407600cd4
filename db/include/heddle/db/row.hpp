// Rows as C++ types: a described struct by the names of its members, a tuple by position, a single value, or
// a db::row to look at by hand.
#pragma once

#include <heddle/db/codec.hpp>
#include <heddle/db/driver.hpp>

#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace heddle::db {

namespace row_detail {

// The column called `name`. Throws row_error if there is none, or more than one.
std::size_t column_called(const cursor& rows, std::string_view name, const std::type_info& into);
[[noreturn]] void refuse_value(const cursor& rows, std::size_t column, const char* wanted,
                               const std::type_info& into);
[[noreturn]] void refuse_width(const cursor& rows, std::size_t wanted, const std::type_info& into);
[[noreturn]] void refuse_second_row(std::string_view sql);
[[noreturn]] void refuse_no_row(std::string_view sql);

template <class T>
void read_column(const cursor& rows, std::size_t column, T& to, const std::type_info& into)
{
    static_assert(column_type<T>, "there is no codec<T> that reads this type from a column");
    if (!codec<T>::decode(rows.at(column), to))
        refuse_value(rows, column, codec<T>::wanted, into);
}

template <class T>
using members =
    boost::describe::describe_members<T, boost::describe::mod_public | boost::describe::mod_inherited>;

} // namespace row_detail

// The current row of a cursor, for those who do not know the columns beforehand. Valid inside for_each's
// function only.
class row
{
public:
    explicit row(const cursor& rows) noexcept : rows_(&rows) {}

    std::size_t columns() const noexcept { return rows_->columns(); }
    std::string_view name(std::size_t column) const noexcept { return rows_->name(column); }
    value at(std::size_t column) const { return rows_->at(column); }

    // Throws: row_error.
    template <class T>
    T get(std::string_view name) const
    {
        T result{};
        row_detail::read_column(*rows_, row_detail::column_called(*rows_, name, typeid(row)), result,
                                typeid(row));
        return result;
    }

private:
    const cursor* rows_;
};

// Finds the columns for a T once for each result, then reads each row. Made after the cursor's first `next`.
// A column that no member is named for is ignored.
template <class T, class = void>
class row_reader // one value
{
public:
    explicit row_reader(const cursor& rows)
    {
        if (rows.columns() != 1)
            row_detail::refuse_width(rows, 1, typeid(T));
    }

    T read(const cursor& rows) const
    {
        T result{};
        row_detail::read_column(rows, 0, result, typeid(T));
        return result;
    }
};

template <class T>
class row_reader<T, std::enable_if_t<boost::describe::has_describe_members<T>::value && !column_type<T>>>
{
    using members = row_detail::members<T>;
    static constexpr std::size_t count = boost::mp11::mp_size<members>::value;

public:
    explicit row_reader(const cursor& rows)
    {
        if (in_order(rows))
            return;
        std::size_t next = 0;
        boost::mp11::mp_for_each<members>(
            [&](auto member) { columns_[next++] = row_detail::column_called(rows, member.name, typeid(T)); });
    }

    T read(const cursor& rows) const
    {
        T result{};
        std::size_t next = 0;
        boost::mp11::mp_for_each<members>([&](auto member) {
            row_detail::read_column(rows, columns_[next++], result.*member.pointer, typeid(T));
        });
        return result;
    }

private:
    // The usual case, and a cheap one: the columns are the members, one by one.
    bool in_order(const cursor& rows)
    {
        if (rows.columns() != count)
            return false;
        std::size_t next = 0;
        bool same = true;
        boost::mp11::mp_for_each<members>([&](auto member) {
            columns_[next] = next;
            same = same && rows.name(next) == member.name;
            ++next;
        });
        return same;
    }

    std::array<std::size_t, count> columns_{};
};

template <class... Ts>
class row_reader<std::tuple<Ts...>, void>
{
public:
    explicit row_reader(const cursor& rows)
    {
        if (rows.columns() != sizeof...(Ts))
            row_detail::refuse_width(rows, sizeof...(Ts), typeid(std::tuple<Ts...>));
    }

    std::tuple<Ts...> read(const cursor& rows) const
    {
        std::tuple<Ts...> result{};
        std::size_t next = 0;
        std::apply(
            [&](auto&... to) { (row_detail::read_column(rows, next++, to, typeid(std::tuple<Ts...>)), ...); },
            result);
        return result;
    }
};

template <>
class row_reader<row, void>
{
public:
    explicit row_reader(const cursor&) noexcept {}
    row read(const cursor& rows) const noexcept { return row{rows}; }
};

// What a whole result is read into. `sql` is for messages. Park; throw row_error, and what the cursor throws.
template <class T>
std::vector<T> all_rows(cursor& rows)
{
    std::vector<T> result;
    bool more = rows.next();
    const row_reader<T> reader(rows);
    for (; more; more = rows.next())
        result.push_back(reader.read(rows));
    return result;
}

// More than one row is a row_error.
template <class T>
std::optional<T> row_if_any(cursor& rows, std::string_view sql)
{
    std::optional<T> result;
    bool more = rows.next();
    const row_reader<T> reader(rows);
    for (; more; more = rows.next()) {
        if (result)
            row_detail::refuse_second_row(sql);
        result.emplace(reader.read(rows));
    }
    return result;
}

template <class T>
T one_row(cursor& rows, std::string_view sql)
{
    auto result = row_if_any<T>(rows, sql);
    if (!result)
        row_detail::refuse_no_row(sql);
    return *std::move(result);
}

} // namespace heddle::db
