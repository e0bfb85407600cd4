#include "http/request_writer.hpp"

#include <heddle/base/error.hpp>
#include <heddle/net/error.hpp>

#include "http/chunked.hpp"
#include "http/client_connection.hpp"
#include "http/hop_by_hop.hpp"
#include "http/target.hpp"

#include <algorithm>

namespace heddle::http {

namespace {

constexpr std::size_t worth_joining = 16 * 1024; // bytes that are copied rather than sent apart

bool is_target_to_send(std::string_view text)
{
    return is_target_text(text) && (text.starts_with('/') || text == "*");
}

void check_request_line(const outgoing& what)
{
    if (!is_token(what.method) || what.method == "CONNECT")
        throw error(kind::internal, "a request's method is no token, or CONNECT");
    if (!is_target_to_send(what.to.target) || (what.to.target == "*" && what.method != "OPTIONS"))
        throw error(kind::internal, "a request's target has a byte that may not be in one");
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names)
{
    return std::any_of(names.begin(), names.end(), [=](std::string_view n) { return same_name(name, n); });
}

bool is_not_passed_on(std::string_view name, const outgoing& what, const std::vector<added_field>& added)
{
    if (is_hop_by_hop(name) || is_one_of(name, {"host", "expect"}))
        return true;
    if (!what.sends_credentials && is_one_of(name, {"authorization", "cookie"}))
        return true;
    if (!what.sends_body && is_one_of(name, {"content-type", "content-encoding", "content-language",
                                             "content-location", "digest", "last-modified"}))
        return true;
    return std::any_of(added.begin(), added.end(), [&](const auto& a) { return same_name(name, a.name); });
}

void append_field(std::string& out, std::string_view name, std::string_view value)
{
    check_field(name, value);
    out.append(name).append(": ").append(value).append("\r\n");
}

} // namespace

void append_request_head(std::string& out, const outgoing& what, sent_body body, std::uint64_t length,
                         const std::vector<added_field>& added)
{
    check_request_line(what);
    out.append(what.method).append(" ").append(what.to.target).append(" HTTP/1.1\r\n");
    append_field(out, "Host", authority(what.to.origin));

    std::string connection; // all of these fields, as one list
    what.request->for_each_header([&](field, std::string_view name, std::string_view value) {
        if (same_name(name, "connection"))
            connection.append(value).append(",");
    });
    what.request->for_each_header([&](field, std::string_view name, std::string_view value) {
        if (!is_not_passed_on(name, what, added) && !has_option(connection, name))
            append_field(out, name, value);
    });
    for (const added_field& one : added)
        append_field(out, one.name, one.value);
    if (body == sent_body::sized)
        append_field(out, "Content-Length", std::to_string(length));
    else if (body == sent_body::chunked)
        append_field(out, "Transfer-Encoding", "chunked");
    out += "\r\n";
}

void upload_sink::write(std::string_view bytes)
{
    check_has_not_failed();
    if (bytes.empty())
        return;
    if (body_ == sent_body::chunked) {
        append_chunk(pending_, bytes);
        return send({});
    }
    if (bytes.size() > left_)
        throw error(kind::internal, "a request's body is longer than was announced");
    left_ -= bytes.size();
    send(bytes);
}

void upload_sink::check_has_not_failed()
{
    if (!has_failed_)
        return;
    is_broken_ = true;
    throw net::broken("an earlier part of the body could not be sent");
}

void upload_sink::finish()
{
    check_has_not_failed();
    if (body_ == sent_body::chunked)
        pending_ += last_chunk;
    else if (left_ > 0)
        throw error(kind::internal, "a request's body is shorter than was announced");
    send({});
}

void upload_sink::send(std::string_view bytes)
{
    if (bytes.size() < worth_joining) {
        pending_.append(bytes);
        bytes = {};
    }
    has_failed_ = true;
    try {
        if (!pending_.empty())
            connection_.send(pending_);
        pending_.clear();
        if (!bytes.empty())
            connection_.send(bytes);
    } catch (const net::broken&) {
        is_broken_ = true;
        throw;
    }
    has_failed_ = false;
}

} // namespace heddle::http
