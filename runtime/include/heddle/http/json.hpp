// JSON to and from structs described by Boost.Describe, std::vector, std::map, std::optional, described
// enums, text, bool, integers and double.
//
// Reading is strict: a member that is unknown, missing (unless it is optional) or there twice is refused, and
// so is a number that the member's type cannot hold. An integer is digits only: 1.0 and 1e3 are refused, not
// rounded. A double may not overflow, underflow, or be given as an integer that it would have to round. Text
// must be UTF-8. At most 32 arrays and objects may lie inside each other.
//
// Writing: members in described order; a double that is not finite becomes null; bytes that are no UTF-8
// become U+FFFD.
#pragma once

#include <heddle/http/json_reader.hpp>

#include <boost/describe.hpp>
#include <boost/mp11/algorithm.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::http {

// True for types whose members keep their defaults when they are not there.
template <class T>
inline constexpr bool json_members_may_be_missing = false;

// Appends `text` as a JSON string, or a number.
void append_json(std::string& out, std::string_view text);
void append_json(std::string& out, double number);
void append_json(std::string& out, std::int64_t number);
void append_json(std::string& out, std::uint64_t number);

namespace json_detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T, class A>
inline constexpr bool is_vector<std::vector<T, A>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class T, class C, class A>
inline constexpr bool is_map<std::map<std::string, T, C, A>> = true;
template <class T>
inline constexpr bool is_described_enum = boost::describe::has_describe_enumerators<T>::value;
template <class T>
inline constexpr bool is_described = boost::describe::has_describe_members<T>::value && !std::is_union_v<T>;
template <class T>
inline constexpr bool is_text = std::convertible_to<const T&, std::string_view>;

template <class T>
using members =
    boost::describe::describe_members<T, boost::describe::mod_public | boost::describe::mod_inherited>;

} // namespace json_detail

// What to_json can write.
template <class T>
concept json_value = json_detail::is_text<T> || std::is_arithmetic_v<T> || json_detail::is_optional<T> ||
    json_detail::is_vector<T> || json_detail::is_map<T> || json_detail::is_described<T> ||
    json_detail::is_described_enum<T>;

template <json_value T>
void write_json(std::string& out, const T& value);
template <json_value T>
void read_json(json_reader& in, T& into);

template <json_value T>
std::string to_json(const T& value)
{
    std::string out;
    write_json(out, value);
    return out;
}

// The whole of `text` as a T.
// Throws: bad_request, with a JSON pointer to what is wrong; or an error of the kind that `options` blame.
template <json_value T>
T from_json(std::string_view text, const json_options& options = {})
{
    json_reader in(text, options);
    T value{};
    read_json(in, value);
    in.finish();
    return value;
}

namespace json_detail {

template <class T>
void write_members(std::string& out, const T& value)
{
    char before = '{';
    boost::mp11::mp_for_each<members<T>>([&](auto member) {
        out += before;
        out += '"';
        out += member.name;
        out += "\":";
        write_json(out, value.*member.pointer);
        before = ',';
    });
    if (before == '{')
        out += before;
    out += '}';
}

template <class T>
void write_list(std::string& out, const T& values)
{
    out += '[';
    bool first = true;
    for (const auto& value : values) {
        if (!first)
            out += ',';
        first = false;
        write_json<typename T::value_type>(out, value);
    }
    out += ']';
}

template <class T>
void write_map(std::string& out, const T& values)
{
    out += '{';
    bool first = true;
    for (const auto& [name, value] : values) {
        if (!first)
            out += ',';
        first = false;
        append_json(out, std::string_view(name));
        out += ':';
        write_json(out, value);
    }
    out += '}';
}

template <class T>
void read_members(json_reader& in, T& into)
{
    using all = members<T>;
    constexpr std::size_t count = boost::mp11::mp_size<all>::value;
    std::array<bool, count + 1> seen{}; // one more: an array of none has no data

    in.enter_object();
    while (in.next_member()) {
        bool known = false;
        std::size_t index = 0;
        boost::mp11::mp_for_each<all>([&](auto member) {
            const std::size_t here = index++;
            if (known || in.name() != member.name)
                return;
            known = true;
            if (seen[here])
                in.fail("is there twice");
            seen[here] = true;
            read_json(in, into.*member.pointer);
        });
        if (known)
            continue;
        if (!in.ignores_unknown_members())
            in.fail("is not known here");
        in.skip();
    }

    std::size_t index = 0;
    boost::mp11::mp_for_each<all>([&](auto member) {
        using type = std::remove_reference_t<decltype(into.*member.pointer)>;
        if (!seen[index++] && !is_optional<type> && !json_members_may_be_missing<T>)
            in.fail_at(member.name, "is missing");
    });
}

template <class T>
void read_enum(json_reader& in, T& into)
{
    std::string text;
    in.read_string(text);
    bool known = false;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>([&](auto enumerator) {
        if (text == enumerator.name) {
            into = enumerator.value;
            known = true;
        }
    });
    if (!known)
        in.fail("is none of the values it may have");
}

template <class T>
void read_map(json_reader& in, T& into)
{
    in.enter_object();
    into.clear();
    while (in.next_member()) {
        const auto [place, is_new] = into.try_emplace(std::string(in.name()));
        if (!is_new)
            in.fail("is there twice");
        read_json(in, place->second);
    }
}

template <class T>
void read_number(json_reader& in, T& into)
{
    using limits = std::numeric_limits<T>;
    if constexpr (std::signed_integral<T>) {
        into = static_cast<T>(in.read_integer(limits::min(), limits::max()));
    } else if constexpr (std::unsigned_integral<T>) {
        into = static_cast<T>(in.read_unsigned(limits::max()));
    } else {
        static_assert(std::same_as<T, double>, "floating-point numbers are double");
        into = in.read_double();
    }
}

} // namespace json_detail

template <json_value T>
void write_json(std::string& out, const T& value)
{
    using namespace json_detail;
    if constexpr (is_text<T>)
        append_json(out, std::string_view(value));
    else if constexpr (std::same_as<T, bool>)
        out += value ? "true" : "false";
    else if constexpr (std::signed_integral<T>)
        append_json(out, static_cast<std::int64_t>(value));
    else if constexpr (std::unsigned_integral<T>)
        append_json(out, static_cast<std::uint64_t>(value));
    else if constexpr (std::floating_point<T>)
        append_json(out, static_cast<double>(value));
    else if constexpr (is_optional<T>)
        value ? write_json(out, *value) : void(out += "null");
    else if constexpr (is_vector<T>)
        write_list(out, value);
    else if constexpr (is_map<T>)
        write_map(out, value);
    else if constexpr (is_described_enum<T>)
        append_json(out, std::string_view(boost::describe::enum_to_string(value, "unknown")));
    else
        write_members(out, value);
}

template <json_value T>
void read_json(json_reader& in, T& into)
{
    using namespace json_detail;
    if constexpr (std::same_as<T, std::string>) {
        in.read_string(into);
    } else if constexpr (std::same_as<T, bool>) {
        into = in.read_bool();
    } else if constexpr (std::is_arithmetic_v<T>) {
        read_number(in, into);
    } else if constexpr (is_optional<T>) {
        if (in.take_null())
            into.reset();
        else
            read_json(in, into.emplace());
    } else if constexpr (is_vector<T>) {
        in.enter_array();
        into.clear(); // of the member's default
        while (in.next_element()) {
            typename T::value_type element{};
            read_json(in, element);
            into.push_back(std::move(element));
        }
    } else if constexpr (is_map<T>) {
        read_map(in, into);
    } else if constexpr (is_described_enum<T>) {
        read_enum(in, into);
    } else {
        static_assert(is_described<T>, "text is read into std::string");
        read_members(in, into);
    }
}

} // namespace heddle::http
