// What a typed handler returns: a value, or the problem that kept it from having one.
#pragma once

#include <heddle/http/problem.hpp>

#include <string>
#include <utility>
#include <variant>

namespace heddle::http {

template <class T>
class result
{
public:
    result(T value) : outcome_(std::in_place_index<0>, std::move(value)) {}
    result(http::problem problem) : outcome_(std::in_place_index<1>, std::move(problem)) {}

    bool has_value() const noexcept { return outcome_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    // Throws: std::bad_variant_access when it is the other one.
    T& value() & { return std::get<0>(outcome_); }
    const T& value() const& { return std::get<0>(outcome_); }
    T&& value() && { return std::get<0>(std::move(outcome_)); }
    http::problem& problem() & { return std::get<1>(outcome_); }
    const http::problem& problem() const& { return std::get<1>(outcome_); }
    http::problem&& problem() && { return std::get<1>(std::move(outcome_)); }

private:
    std::variant<T, http::problem> outcome_;
};

// Something new, and where it can be found: answered 201 with a Location.
template <class T>
struct created
{
    std::string location;
    T value;
};

template <class T>
created(std::string, T) -> created<T>;

} // namespace heddle::http
