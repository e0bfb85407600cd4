// A request of ours, as bytes: its head, and its body piece by piece.
#pragma once

#include <heddle/http/origin.hpp>
#include <heddle/http/request.hpp>
#include <heddle/http/sink.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::http {

class client_connection;

// What goes out for a request: the request itself, and what redirects have changed of it.
struct outgoing
{
    const http::request* request = nullptr;
    url to;
    std::string method;
    bool sends_body = true;        // false: neither it nor the fields that describe it
    bool sends_credentials = true; // Authorization and Cookie
};

enum class sent_body
{
    none,
    sized, // Content-Length, of zero bytes too
    chunked,
};

// What the client adds to the request's own fields, in place of those of that name.
struct added_field
{
    std::string_view name;
    std::string value;
};

// Adds the request line, Host, the fields that are not for one connection only, and the blank line.
// Throws: error, when the method, the target or a field could be read as something else.
// Source: RFC 9112 section 3, RFC 9110 section 7.6.1.
void append_request_head(std::string& out, const outgoing& what, sent_body body, std::uint64_t length,
                         const std::vector<added_field>& added);

// Writes a body to a connection, behind a head that goes out with the first piece.
class upload_sink final : public sink
{
public:
    // `connection` must outlive it. `length`: of a sized one.
    upload_sink(client_connection& connection, std::string head, sent_body body, std::uint64_t length)
        : connection_(connection), pending_(std::move(head)), body_(body), left_(length)
    {
    }

    // Throws: error, when it is more than was announced; net::broken; deadline_exceeded, cancelled.
    void write(std::string_view bytes) override;
    // Sends what is left. Throws: error, when it is less than was announced; net::broken; ...
    void finish();

    // Whether it was the connection that has failed, not what was written.
    bool is_broken() const noexcept { return is_broken_; }
    // Whether a write has failed, for whatever reason: then nobody knows how far the upstream has read, and
    // nothing more is sent.
    bool has_failed() const noexcept { return has_failed_; }

private:
    void check_has_not_failed();
    void send(std::string_view bytes);

    client_connection& connection_;
    std::string pending_;
    const sent_body body_;
    std::uint64_t left_; // bytes of a sized one
    bool is_broken_ = false;
    bool has_failed_ = false;
};

} // namespace heddle::http
