// What went wrong, for the client: RFC 9457's problem document, and the exceptions that carry one.
#pragma once

#include <heddle/base/error.hpp>
#include <heddle/http/json.hpp>
#include <heddle/http/words.hpp>

#include <boost/describe.hpp>

#include <string>
#include <utility>
#include <vector>

namespace heddle::http {

struct problem
{
    // What is wrong where: `pointer` is a JSON pointer into the body, or "/path/id", "/query/since".
    struct fault
    {
        std::string pointer;
        std::string detail;
    };

    problem() = default;
    problem(http::status status, std::string detail); // title: the status's own reason

    static problem not_found(std::string detail); // 404
    static problem conflict(std::string detail);  // 409
    static problem unreadable(std::string pointer,
                              std::string detail); // 400: cannot be read as what it should be
    static problem invalid(std::string pointer, std::string detail); // 422: was read, and breaks a rule
    static problem invalid(std::vector<fault> errors);

    http::status code() const noexcept { return static_cast<http::status>(status); }

    std::string type = "about:blank"; // a URI; "about:blank": the status says it all
    std::string title;                // the same for all of this type
    unsigned status = 500;
    std::string detail;        // of this occurrence, for people
    std::string request_id;    // finds it in the log; empty: not written
    std::vector<fault> errors; // empty: not written
};

BOOST_DESCRIBE_STRUCT(problem::fault, (), (pointer, detail))
BOOST_DESCRIBE_STRUCT(problem, (), (type, title, status, detail, request_id, errors))

// A problem leaves out what is empty.
template <>
inline constexpr bool json_members_may_be_missing<problem> = true;

// The document, without the members that are empty.
std::string to_json(const problem& p);

// Thrown where there is no way to return a problem: it is the answer.
class rejected : public error
{
public:
    explicit rejected(http::problem p) : error(kind::value, p.detail), problem_(std::move(p)) {}
    const http::problem& problem() const noexcept { return problem_; }

private:
    http::problem problem_;
};

// The client sent what cannot be read. Answered 400.
class bad_request : public rejected
{
public:
    bad_request(std::string pointer, std::string detail)
        : rejected(http::problem::unreadable(std::move(pointer), std::move(detail)))
    {
    }
};

} // namespace heddle::http
