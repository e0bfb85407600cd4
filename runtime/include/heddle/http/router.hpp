// From method and path to a handler.
#pragma once

#include <heddle/http/reply.hpp>
#include <heddle/http/words.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::http {

// Patterns are paths whose segments are either literal or `{name}`, which takes any one segment that is not
// empty. A literal segment wins over a parameter. A path is split at its slashes first and percent-decoded
// then, so that %2F is part of a segment. HEAD goes to the GET route, and OPTIONS answers what is allowed,
// unless they have routes of their own. Built before serving, and not changed any more then; must outlive the
// requests that pass through it.
class router
{
public:
    router();

    // Registers a handler: any callable of `const request&` that returns something reply() takes.
    // Throws: config_error when the pattern is malformed or taken.
    template <class F>
    router& get(std::string_view pattern, F f)
    {
        return add(verb::get, pattern, as_handler(std::move(f)));
    }
    template <class F>
    router& post(std::string_view pattern, F f)
    {
        return add(verb::post, pattern, as_handler(std::move(f)));
    }
    template <class F>
    router& put(std::string_view pattern, F f)
    {
        return add(verb::put, pattern, as_handler(std::move(f)));
    }
    template <class F>
    router& patch(std::string_view pattern, F f)
    {
        return add(verb::patch, pattern, as_handler(std::move(f)));
    }
    template <class F>
    router& del(std::string_view pattern, F f)
    {
        return add(verb::delete_, pattern, as_handler(std::move(f)));
    }
    router& add(verb method, std::string_view pattern, handler h);

    // The route's answer; or 400 for a path that cannot be decoded, 404, 405 with Allow.
    // Throws: nothing that a handler throws (answer.hpp).
    response operator()(const request& req) const;

private:
    struct route
    {
        verb method;
        std::string pattern;
        std::vector<std::string> parameters; // names, from left to right
        handler handler_;
    };
    struct node // one segment's place in the tree of patterns
    {
        std::string literal;               // the segment; empty for a parameter too
        std::vector<std::size_t> literals; // children, indices into nodes_
        std::size_t parameter = 0;         // the child for `{...}`; 0: none, as the root is nobody's child
        std::vector<std::size_t> routes;   // that end here, indices into routes_
    };
    struct search;

    std::size_t child(std::size_t parent, std::string_view literal);
    std::size_t parameter_child(std::size_t parent);
    bool find(search& s, std::size_t node, std::size_t depth) const;
    const route* route_for(const node& here, verb method) const;
    response refuse(const search& s) const;

    std::vector<node> nodes_; // the root first. Indices instead of pointers, so that a router can be copied
    std::vector<route> routes_;
};

} // namespace heddle::http
