// What is said when rows do not fit a type: the rare paths, kept out of every program's templates.
#include <heddle/db/row.hpp>

#include <boost/core/demangle.hpp>

#include <string>

namespace heddle::db {

std::string_view name_of(value_type type) noexcept
{
    switch (type) {
    case value_type::null:
        return "NULL";
    case value_type::boolean:
        return "boolean";
    case value_type::integer:
        return "integer";
    case value_type::real:
        return "real";
    case value_type::decimal:
        return "decimal";
    case value_type::text:
        return "text";
    case value_type::bytes:
        return "bytes";
    case value_type::date:
        return "date";
    case value_type::moment:
        return "timestamp";
    case value_type::instant:
        return "timestamp with time zone";
    }
    return "unknown";
}

namespace row_detail {

namespace {

std::string shortened(std::string_view sql)
{
    constexpr std::size_t most = 200;
    return std::string(sql.substr(0, most)) + (sql.size() > most ? "..." : "");
}

std::string for_type(const std::type_info& into)
{
    return "for " + boost::core::demangle(into.name()) + ": ";
}

std::string quoted(std::string_view name)
{
    return "\"" + std::string(name) + "\"";
}

std::string all_columns(const cursor& rows)
{
    std::string list;
    for (std::size_t i = 0; i < rows.columns(); ++i)
        list += (i ? ", " : "") + std::string(rows.name(i));
    return list;
}

// Which value it was, where that helps and is short.
std::string shown(const value& v)
{
    std::string text(name_of(v.type()));
    if (v.type() == value_type::integer)
        text += " " + std::to_string(v.as_integer());
    else if (v.type() == value_type::decimal)
        text += " " + std::string(v.as_text());
    return text;
}

} // namespace

std::size_t column_called(const cursor& rows, std::string_view name, const std::type_info& into)
{
    const auto columns = rows.columns();
    auto found = columns;
    for (std::size_t i = 0; i < columns; ++i) {
        if (rows.name(i) != name)
            continue;
        if (found != columns)
            throw row_error(for_type(into) + "two columns are called " + quoted(name) +
                            ": name them apart with AS");
        found = i;
    }
    if (found == columns)
        throw row_error(for_type(into) + "there is no column " + quoted(name) +
                        "; there are: " + all_columns(rows));
    return found;
}

void refuse_value(const cursor& rows, std::size_t column, const char* wanted, const std::type_info& into)
{
    const auto found = rows.at(column);
    const auto which = for_type(into) + "column " + quoted(rows.name(column));
    if (found.is_null())
        throw row_error(which + " is NULL, where " + wanted + " is wanted; std::optional takes both");
    throw row_error(which + " holds " + shown(found) + ", where " + wanted + " is wanted");
}

void refuse_width(const cursor& rows, std::size_t wanted, const std::type_info& into)
{
    throw row_error(for_type(into) + std::to_string(wanted) + " columns are wanted and there are " +
                    std::to_string(rows.columns()) + ": " + all_columns(rows));
}

void refuse_second_row(std::string_view sql)
{
    throw row_error("more than one row where one was expected: " + shortened(sql));
}

void refuse_no_row(std::string_view sql)
{
    throw row_error("no row where one was expected: " + shortened(sql));
}

} // namespace row_detail

} // namespace heddle::db
