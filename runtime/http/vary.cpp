#include <heddle/http/vary.hpp>

#include <heddle/http/response.hpp>

#include "http/field_list.hpp"

#include <string>

namespace heddle::http {

void add_vary(response& answer, std::string_view name)
{
    const std::string_view so_far = answer.header(field::vary);
    if (has_element(so_far, name) || has_element(so_far, "*"))
        return;
    check_field(name, {});
    answer.set_header(field::vary,
                      so_far.empty() ? std::string(name) : std::string(so_far).append(", ").append(name));
}

} // namespace heddle::http
