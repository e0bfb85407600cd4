// Which results may leave a transaction's body: values that stand for themselves. A row, a cursor, a view or
// a pointer would look at a connection that has been given back.
#pragma once

#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::db {

class cursor;
class lane;
class row;
class session;
class transaction;
class value;

namespace complete_detail {

template <class T, class = void>
struct is_complete : std::bool_constant<!std::is_reference_v<T> && !std::is_pointer_v<T> &&
                                        !std::is_base_of_v<session, T> && !std::is_base_of_v<cursor, T>>
{
};

template <>
struct is_complete<void> : std::true_type
{
};

// clang-format off
template <> struct is_complete<row> : std::false_type {};
template <> struct is_complete<value> : std::false_type {};
template <> struct is_complete<lane> : std::false_type {};
template <> struct is_complete<transaction> : std::false_type {};
template <> struct is_complete<std::string_view> : std::false_type {};
template <class T, std::size_t N> struct is_complete<std::span<T, N>> : std::false_type {};
template <class T> struct is_complete<std::reference_wrapper<T>> : std::false_type {};
template <class D> struct is_complete<std::unique_ptr<cursor, D>> : std::false_type {};
template <class D> struct is_complete<std::unique_ptr<session, D>> : std::false_type {};
template <class T> struct is_complete<const T> : is_complete<T> {};
template <class T> struct is_complete<std::optional<T>> : is_complete<T> {};
template <class T, class A> struct is_complete<std::vector<T, A>> : is_complete<T> {};
template <class K, class T, class C, class A>
struct is_complete<std::map<K, T, C, A>> : std::conjunction<is_complete<K>, is_complete<T>> {};
template <class T, class U>
struct is_complete<std::pair<T, U>> : std::conjunction<is_complete<T>, is_complete<U>> {};
template <class... Ts> struct is_complete<std::tuple<Ts...>> : std::conjunction<is_complete<Ts>...> {};
// clang-format on

template <class Member>
struct member_is_complete;

template <class C, class T>
struct member_is_complete<T C::*> : is_complete<T>
{
};

template <class Descriptor>
using descriptor_is_complete = member_is_complete<std::remove_const_t<decltype(Descriptor::pointer)>>;

template <class T>
struct is_complete<T, std::enable_if_t<boost::describe::has_describe_members<T>::value>>
    : boost::mp11::mp_all_of<boost::describe::describe_members<T, boost::describe::mod_public>,
                             descriptor_is_complete>
{
};

} // namespace complete_detail

template <class T>
concept complete_value = complete_detail::is_complete<T>::value;

} // namespace heddle::db
