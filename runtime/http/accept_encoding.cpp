#include "http/accept_encoding.hpp"

#include <heddle/http/request.hpp>

#include "http/field_list.hpp"

#include <optional>

namespace heddle::http {

namespace {

// In thousandths; 0 if it is malformed: what cannot be read is not wanted. Source: RFC 9110 section 12.4.2.
int weight(std::string_view text) noexcept
{
    if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1') ||
        (text.size() > 1 && text[1] != '.'))
        return 0;
    int thousandths = (text[0] - '0') * 1000;
    int place = 100;
    for (const char c : text.substr(text.size() > 1 ? 2 : 1)) {
        if (c < '0' || c > '9')
            return 0;
        thousandths += (c - '0') * place;
        place /= 10;
    }
    return thousandths > 1000 ? 0 : thousandths;
}

// Of "gzip;q=0.5" behind its name.
int weight_of(std::string_view parameters) noexcept
{
    while (!parameters.empty()) {
        const std::string_view one = take_element(parameters, ';');
        if (one.size() >= 2 && lower(one[0]) == 'q' && one[1] == '=')
            return weight(one.substr(2));
    }
    return 1000;
}

} // namespace

bool prefers_gzip(const request& req) noexcept
{
    std::optional<int> gzip, identity, others;
    req.for_each_header([&](field id, std::string_view, std::string_view list) {
        if (id != field::accept_encoding)
            return;
        while (!list.empty()) {
            std::string_view element = take_element(list);
            const std::string_view name = take_element(element, ';');
            const int wanted = weight_of(element);
            if (same_name(name, "gzip") || same_name(name, "x-gzip"))
                gzip = wanted;
            else if (same_name(name, "identity"))
                identity = wanted;
            else if (name == "*")
                others = wanted;
        }
    });
    const int packed = gzip.value_or(others.value_or(0));
    return packed > 0 && packed >= identity.value_or(0); // unnamed, identity is only what is left
}

} // namespace heddle::http
