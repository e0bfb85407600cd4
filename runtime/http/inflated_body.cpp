#include "http/inflated_body.hpp"

#include <heddle/http/problem.hpp>

namespace heddle::http {

std::size_t inflated_body::read_some(std::span<char> into)
{
    for (;;) {
        const auto step = inflater_.inflate(unread_, into);
        unread_.remove_prefix(step.taken);
        check();
        if (step.made > 0)
            return step.made;
        if (unread_.empty() && !read_more())
            return 0;
    }
}

void inflated_body::check() const
{
    if (inflater_.state() == gzip_inflater::stage::malformed)
        throw rejected(problem(status::bad_request, "the body is not well packed"));
    if (inflater_.state() == gzip_inflater::stage::too_large)
        throw rejected(problem(status::payload_too_large, "the body grows too much when it is unpacked"));
}

// False: this was the end.
bool inflated_body::read_more()
{
    unread_ = {buffer_.data(), packed_.read_some(buffer_)};
    if (!unread_.empty())
        return true;
    if (inflater_.state() != gzip_inflater::stage::complete)
        throw rejected(problem(status::bad_request, "the packed body ends too early"));
    return false;
}

} // namespace heddle::http
