#include <heddle/http/request.hpp>

#include <heddle/http/escape.hpp>
#include <heddle/http/problem.hpp>

#include "http/media_type.hpp"
#include "http/target.hpp"
#include "http/token.hpp"

#include <algorithm>

namespace heddle::http {
namespace {

constexpr std::size_t usual_head_bytes = 480; // one allocation holds what a browser sends
constexpr std::size_t most_peer_bytes = 64;   // "[" an IPv6 address with a zone "]:65535"

request with_json(http::verb method, std::string_view target, std::string body)
{
    request made(method, target);
    made.add_field(field::content_type, "Content-Type", "application/json");
    made.set_body(std::move(body));
    return made;
}

} // namespace

request::request(http::verb method, std::string_view target) : method_(method)
{
    set_target(target);
}

void request::clear() noexcept
{
    method_ = verb::get;
    version_ = 11;
    bytes_.clear();
    body_.clear();
    method_text_ = target_ = path_ = query_ = peer_ = client_certificate_ = {};
    fields_.clear();
    route_ = {};
    request_id_.clear();
    scheme_ = "http";
    host_.clear();
    client_.clear();
    clear_parameters();
}

std::string_view request::take_head(std::string_view bytes)
{
    constexpr std::size_t made_up = 1; // the path of a target that has none
    bytes_.reserve(std::max(usual_head_bytes, bytes.size() + made_up + most_peer_bytes));
    return bytes_.assign(bytes);
}

request::place request::keep(std::string_view text)
{
    const auto inside = static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(text.data()) -
                                                 reinterpret_cast<std::uintptr_t>(bytes_.data()));
    if (inside <
        bytes_.size()) // which it is not for a text that begins before ours: the difference wraps around
        return {static_cast<std::uint32_t>(inside), static_cast<std::uint32_t>(text.size())};
    const place where{static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(text.size())};
    bytes_.append(text);
    return where;
}

void request::set_target(std::string_view target)
{
    if (bytes_.empty())
        bytes_.reserve(usual_head_bytes);
    target_ = keep(target);

    const std::size_t start = path_start(target);
    const std::size_t mark = std::min(target.find('?', start), target.size());
    const std::size_t query = std::min(mark + 1, target.size());
    path_ = {static_cast<std::uint32_t>(target_.offset + start), static_cast<std::uint32_t>(mark - start)};
    query_ = {static_cast<std::uint32_t>(target_.offset + query),
              static_cast<std::uint32_t>(target.size() - query)};
    if (start > 0 && mark == start)
        path_ = keep("/"); // "http://host" asks for the root
}

void request::set_method(http::verb method, std::string_view text)
{
    method_ = method;
    method_text_ = method == verb::unknown ? keep(text) : place{};
}

std::string_view request::method_text() const noexcept
{
    if (method_ == verb::unknown)
        return at(method_text_);
    const auto text = boost::beast::http::to_string(method_);
    return {text.data(), text.size()};
}

void request::set_peer(std::string_view peer)
{
    peer_ = keep(peer);
}

void request::set_secure(std::string_view client_certificate)
{
    scheme_ = "https";
    client_certificate_ = keep(client_certificate);
}

void request::add_field(http::field id, std::string_view name, std::string_view value)
{
    const place name_place = keep(name);
    fields_.push_back({id, name_place, keep(value)});
}

void request::add_field(std::string_view name, std::string_view value)
{
    add_field(boost::beast::http::string_to_field(name), name, value);
}

request& request::with_header(http::field name, std::string_view value) &
{
    const auto text = boost::beast::http::to_string(name);
    check_field({text.data(), text.size()}, value);
    add_field(name, {text.data(), text.size()}, value);
    return *this;
}

request& request::with_header(std::string_view name, std::string_view value) &
{
    check_field(name, value);
    add_field(name, value);
    return *this;
}

std::string_view request::header(http::field name) const noexcept
{
    for (const entry& e : fields_) {
        if (e.id == name && name != field::unknown)
            return at(e.value);
    }
    return {};
}

std::string_view request::header(std::string_view name) const noexcept
{
    for (const entry& e : fields_) {
        if (same_name(at(e.name), name))
            return at(e.value);
    }
    return {};
}

std::string_view request::host() const noexcept
{
    if (!host_.empty())
        return host_;
    const std::string_view asked = authority_of(target());
    return asked.empty() ? header(field::host) : asked;
}

std::string request::path() const
{
    if (auto path = unescape(raw_path()))
        return *std::move(path);
    throw bad_request("/path", "is not well encoded");
}

void request::set_request_id(std::string_view id) const
{
    request_id_.assign(id.data(), std::min(id.size(), max_request_id));
}

void request::clear_parameters() const noexcept
{
    parameters_.clear();
    decoded_.clear();
}

void request::add_parameter(std::string_view name, std::string_view raw) const
{
    if (raw.find('%') == std::string_view::npos) {
        const auto offset = static_cast<std::uint32_t>(raw.data() - bytes_.data());
        parameters_.push_back({name, {offset, static_cast<std::uint32_t>(raw.size())}, false});
        return;
    }
    const auto text = unescape(raw);
    if (!text)
        refuse_value("/path/", name, "well encoded");
    const auto offset = static_cast<std::uint32_t>(decoded_.size());
    decoded_ += *text;
    parameters_.push_back({name, {offset, static_cast<std::uint32_t>(text->size())}, true});
}

std::string_view request::parameter(std::string_view name) const
{
    for (const parameter_entry& p : parameters_) {
        if (p.name == name)
            return std::string_view(p.decoded ? decoded_ : bytes_).substr(p.where.offset, p.where.size);
    }
    throw error(kind::internal, "the route has no parameter '" + std::string(name) + "'");
}

void expect_json(const request& req)
{
    const std::string_view type = media_type(req.header(field::content_type));
    if (type.empty())
        return;
    const bool suffixed = type.size() > 5 && same_name(type.substr(type.size() - 5), "+json");
    if (!suffixed && !same_name(type, "application/json"))
        throw rejected(problem{status::unsupported_media_type, "the body must be application/json"});
}

request get(std::string_view target)
{
    return request(verb::get, target);
}

request head(std::string_view target)
{
    return request(verb::head, target);
}

request del(std::string_view target)
{
    return request(verb::delete_, target);
}

request options(std::string_view target)
{
    return request(verb::options, target);
}

request post(std::string_view target, std::string body)
{
    return with_json(verb::post, target, std::move(body));
}

request put(std::string_view target, std::string body)
{
    return with_json(verb::put, target, std::move(body));
}

request patch(std::string_view target, std::string body)
{
    return with_json(verb::patch, target, std::move(body));
}

} // namespace heddle::http
