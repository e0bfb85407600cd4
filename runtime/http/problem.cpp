#include <heddle/http/problem.hpp>

#include <heddle/http/exact.hpp>

namespace heddle::http {

problem::problem(http::status status, std::string detail)
    : title(boost::beast::http::obsolete_reason(status)),
      status(static_cast<unsigned>(status)),
      detail(std::move(detail))
{
}

problem problem::not_found(std::string detail)
{
    return problem(http::status::not_found, std::move(detail));
}

problem problem::conflict(std::string detail)
{
    return problem(http::status::conflict, std::move(detail));
}

problem problem::unreadable(std::string pointer, std::string detail)
{
    problem made(http::status::bad_request, "the request cannot be read");
    made.errors.push_back({std::move(pointer), std::move(detail)});
    return made;
}

problem problem::invalid(std::string pointer, std::string detail)
{
    std::vector<fault> errors;
    errors.push_back({std::move(pointer), std::move(detail)});
    return invalid(std::move(errors));
}

problem problem::invalid(std::vector<fault> errors)
{
    problem made(http::status::unprocessable_entity, "the request was read, but breaks a rule");
    made.errors = std::move(errors);
    return made;
}

std::string to_json(const problem& p)
{
    std::string out = "{\"type\":";
    write_json(out, p.type);
    out += ",\"title\":";
    write_json(out, p.title);
    out += ",\"status\":";
    write_json(out, p.status);
    const auto unless_empty = [&out](const char* name, const auto& value) {
        if (value.empty())
            return;
        out += name;
        write_json(out, value);
    };
    unless_empty(",\"detail\":", p.detail);
    unless_empty(",\"request_id\":", p.request_id);
    unless_empty(",\"errors\":", p.errors);
    out += '}';
    return out;
}

void refuse_value(std::string_view prefix, std::string_view name, std::string_view expected)
{
    throw bad_request(std::string(prefix).append(name), "must be " + std::string(expected));
}

} // namespace heddle::http
