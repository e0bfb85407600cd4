// Runs a few functions side by side, each on a fiber of its own, and returns what they return.
#pragma once

#include <heddle/fiber/task_group.hpp>

#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant> // std::monostate

namespace heddle::fiber {

namespace detail {
template <class F>
using result_of = std::conditional_t<std::is_void_v<std::invoke_result_t<F>>, std::monostate,
                                     std::remove_cvref_t<std::invoke_result_t<F>>>;

template <class F>
void run_into(std::optional<result_of<F>>& result, F&& f)
{
    if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
        std::forward<F>(f)();
        result.emplace();
    } else {
        result.emplace(std::forward<F>(f)());
    }
}
} // namespace detail

// Returns a tuple of the results, by value and in the order of the functions; std::monostate stands for void.
// The first failure cancels the others; when all have ended, it is thrown on.
// Parks: until the last has ended.
template <class... F>
auto all(F&&... f) -> std::tuple<detail::result_of<F>...>
{
    std::tuple<std::optional<detail::result_of<F>>...> results;
    auto functions = std::forward_as_tuple(std::forward<F>(f)...);

    [&]<std::size_t... I>(std::index_sequence<I...>)
    {
        task_group::run([&](task_group& tasks) {
            (tasks.start(
                 [&] { detail::run_into<F>(std::get<I>(results), std::get<I>(std::move(functions))); }),
             ...);
        });
    }
    (std::index_sequence_for<F...>());

    return std::apply(
        [](auto&... result) { return std::tuple<detail::result_of<F>...>(*std::move(result)...); }, results);
}

} // namespace heddle::fiber
