#include <heddle/http/router.hpp>

#include <heddle/base/error.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/http/answer.hpp>
#include <heddle/http/escape.hpp>

#include "http/pattern.hpp"

#include <boost/container/static_vector.hpp>

#include <algorithm>

namespace heddle::http {
namespace {

std::string_view text_of(verb method)
{
    const auto text = boost::beast::http::to_string(method);
    return {text.data(), text.size()};
}

} // namespace

// One look-up: the path's segments, and what was met on the way.
struct router::search
{
    // A constructor, because without one the room for segments would be filled with zeros for each request.
    search(verb wanted, std::string_view target) : method(wanted), path(target) {}

    verb method;
    std::string_view path;                                                    // as sent
    boost::container::static_vector<std::string_view, max_segments> segments; // decoded, in order
    boost::container::static_vector<std::string_view, max_segments> raw;      // the same, as sent
    std::vector<std::string> decoded;                                         // owns those that had a '%'
    boost::container::static_vector<std::string_view, max_segments> taken;    // raw, by parameters
    const route* found = nullptr;
    std::vector<verb> allowed; // by routes of this path for other methods

    // False if the path has more segments than any pattern may have.
    bool split();
};

bool router::search::split()
{
    std::string_view rest = path.substr(1);
    if (path.find('%') != std::string_view::npos)
        decoded.reserve(max_segments); // views into it stay good
    for (;;) {
        if (raw.size() == max_segments)
            return false;
        const std::string_view segment = rest.substr(0, rest.find('/'));
        raw.push_back(segment);
        if (segment.find('%') == std::string_view::npos) {
            segments.push_back(segment);
        } else {
            auto text = unescape(segment);
            if (!text)
                throw bad_request("/path", "is not well encoded");
            segments.push_back(decoded.emplace_back(*std::move(text)));
        }
        if (segment.size() == rest.size())
            return true;
        rest.remove_prefix(segment.size() + 1);
    }
}

router::router() : nodes_(1) {}

std::size_t router::child(std::size_t parent, std::string_view literal)
{
    for (const std::size_t index : nodes_[parent].literals) {
        if (nodes_[index].literal == literal)
            return index;
    }
    const std::size_t made = nodes_.size();
    nodes_.emplace_back().literal = literal;
    nodes_[parent].literals.push_back(made);
    return made;
}

std::size_t router::parameter_child(std::size_t parent)
{
    if (nodes_[parent].parameter == 0) {
        const std::size_t made = nodes_.size();
        nodes_.emplace_back();
        nodes_[parent].parameter = made;
    }
    return nodes_[parent].parameter;
}

router& router::add(verb method, std::string_view pattern, handler h)
{
    if (!h)
        throw config_error("route " + std::string(pattern) + ": the handler is empty");
    const pattern_parts parts = parse_pattern(pattern);
    std::size_t place = 0;
    for (const pattern_segment& segment : parts.segments)
        place = segment.is_parameter ? parameter_child(place) : child(place, segment.text);

    for (const std::size_t index : nodes_[place].routes) {
        if (routes_[index].method == method)
            throw config_error("route " + std::string(text_of(method)) + " " + std::string(pattern) +
                               ": taken by " + routes_[index].pattern);
    }
    nodes_[place].routes.push_back(routes_.size());
    routes_.push_back({method, std::string(pattern), parts.parameters(), std::move(h)});
    return *this;
}

const router::route* router::route_for(const node& here, verb method) const
{
    const route* instead = nullptr; // of GET, for HEAD
    for (const std::size_t index : here.routes) {
        const route& r = routes_[index];
        if (r.method == method)
            return &r;
        if (method == verb::head && r.method == verb::get)
            instead = &r;
    }
    return instead;
}

// Looks for the segments from `depth` on below the node at `index`. Goes back to a parameter where a literal
// led nowhere; patterns have few segments, so it does not go far.
bool router::find(search& s, std::size_t index, std::size_t depth) const
{
    const node& here = nodes_[index];
    if (depth == s.segments.size()) {
        s.found = route_for(here, s.method);
        if (!s.found) {
            for (const std::size_t route : here.routes)
                s.allowed.push_back(routes_[route].method);
        }
        return s.found != nullptr;
    }
    for (const std::size_t literal : here.literals) {
        if (nodes_[literal].literal == s.segments[depth] && find(s, literal, depth + 1))
            return true;
    }
    if (here.parameter == 0 || s.segments[depth].empty())
        return false;
    s.taken.push_back(s.raw[depth]);
    if (find(s, here.parameter, depth + 1))
        return true;
    s.taken.pop_back();
    return false;
}

response router::operator()(const request& req) const
{
    return answer(req, [this](const request& r) -> response {
        search s(r.method(), r.raw_path());
        if (s.path == "*" && s.method == verb::options)
            return response(status::no_content); // the server as a whole can be asked nothing more
        if (s.path.empty() || s.path.front() != '/')
            throw bad_request("/path", "must start with a slash");
        if (!s.split() || !find(s, 0, 0))
            return refuse(s);

        r.clear_parameters();
        for (std::size_t i = 0; i != s.taken.size(); ++i)
            r.add_parameter(s.found->parameters[i], s.taken[i]);
        r.set_route(s.found->pattern);
        if (fiber::scope* const scope = fiber::scope::current())
            scope->set_route(s.found->pattern);
        return s.found->handler_(r);
    });
}

// 404; or 405, or the answer to OPTIONS, where the path is known.
response router::refuse(const search& s) const
{
    if (s.allowed.empty())
        return reply(problem::not_found("there is nothing at this path"));

    std::vector<verb> methods = s.allowed;
    if (std::find(methods.begin(), methods.end(), verb::get) != methods.end())
        methods.push_back(verb::head);
    methods.push_back(verb::options);
    std::sort(methods.begin(), methods.end());
    methods.erase(std::unique(methods.begin(), methods.end()), methods.end());
    std::string allow;
    for (const verb method : methods)
        allow.append(allow.empty() ? "" : ", ").append(text_of(method));

    response made = s.method == verb::options
                        ? response(status::no_content)
                        : reply(problem(status::method_not_allowed, "the path has no such method"));
    made.set_header(field::allow, allow);
    return made;
}

} // namespace heddle::http
