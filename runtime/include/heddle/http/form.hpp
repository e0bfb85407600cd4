// The fields of an HTML form, as a browser posts them: application/x-www-form-urlencoded.
#pragma once

#include <heddle/http/exact.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::http {

// All of a form is decoded once ('+' is a space) and checked when it is made: names and values are UTF-8
// without NUL. request::form() makes one of a body. Source: WHATWG URL, 5.1.
class form
{
public:
    static constexpr std::size_t max_fields = 1000;

    // Throws: bad_request when it is not well encoded; rejected (413) when it has more fields than that.
    explicit form(std::string_view urlencoded);

    // The first field of that name, exactly as a T (as request::query() has it); nothing if there is none.
    // Throws: bad_request, for "/form/name", when it is there and is no T.
    template <class T>
    std::optional<T> get(std::string_view name) const
    {
        for (const auto& [key, value] : fields_) {
            if (key == name)
                return exact_or_bad_request<T>(value, "/form/", name);
        }
        return std::nullopt;
    }

    // All of that name, in the order they came. Throws: like get().
    template <class T>
    std::vector<T> all(std::string_view name) const
    {
        std::vector<T> values;
        for (const auto& [key, value] : fields_) {
            if (key == name)
                values.push_back(exact_or_bad_request<T>(value, "/form/", name));
        }
        return values;
    }

    // Name and value of each, in the order they came.
    const std::vector<std::pair<std::string, std::string>>& fields() const noexcept { return fields_; }

private:
    std::vector<std::pair<std::string, std::string>> fields_;
};

} // namespace heddle::http
