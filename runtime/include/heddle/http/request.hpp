// A request: target, fields and body in two strings, so that building one costs no allocation for each field.
#pragma once

#include <heddle/http/exact.hpp>
#include <heddle/http/json.hpp>
#include <heddle/http/request_body.hpp>
#include <heddle/http/words.hpp>

#include <boost/container/small_vector.hpp>
#include <boost/container/static_vector.hpp>
#include <boost/static_string/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::http {

class form;

// Throws: rejected (415) unless the request's Content-Type is JSON, or it has none.
void expect_json(const request& req);

class request
{
public:
    static constexpr std::size_t max_parameters = 8;  // `{...}` segments in one route
    static constexpr std::size_t max_request_id = 64; // bytes
    static constexpr std::size_t max_client = 63;     // bytes: an IPv6 address with a zone

    request() = default;
    request(http::verb method, std::string_view target);

    // What was asked for.
    http::verb method() const noexcept { return method_; } // verb::unknown: see method_text()
    std::string_view method_text() const noexcept;
    std::string_view target() const noexcept { return at(target_); }
    // As sent, still percent-encoded: for who wants bytes that need not be text.
    std::string_view raw_path() const noexcept { return at(path_); }
    std::string_view raw_query() const noexcept { return at(query_); } // the same, without '?'
    unsigned version() const noexcept { return version_; }             // 10 or 11

    // The whole path, percent-decoded once. Throws: bad_request.
    std::string path() const;

    // A `{name}` segment of the route, exactly as a T: no sign '+', no space, no overflow.
    // T: an integer, double, bool, std::string (UTF-8 without NUL). Throws: bad_request, which is answered
    // 400.
    template <class T>
    T path(std::string_view name) const
    {
        return exact_or_bad_request<T>(parameter(name), "/path/", name);
    }

    // The first `name=value` of the query, decoded ('+' is a space); nothing if there is none.
    // Throws: bad_request when it is there and is no T.
    template <class T>
    std::optional<T> query(std::string_view name) const
    {
        const std::optional<std::string> text = query_text(name);
        if (!text)
            return std::nullopt;
        return exact_or_bad_request<T>(*text, "/query/", name);
    }

    // All of that name, in the order they came. Throws: like query().
    template <class T>
    std::vector<T> query_all(std::string_view name) const
    {
        std::vector<T> values;
        for (const std::string& text : query_texts(name))
            values.push_back(exact_or_bad_request<T>(text, "/query/", name));
        return values;
    }

    // The first field of that name, empty if there is none.
    std::string_view header(http::field name) const noexcept;
    std::string_view header(std::string_view name) const noexcept;

    // Calls f(field, name, value) for each field, in the order they came.
    template <class F>
    void for_each_header(F&& f) const
    {
        for (const entry& e : fields_)
            f(e.id, at(e.name), at(e.value));
    }
    std::size_t header_count() const noexcept { return fields_.size(); }

    // The cookie of that name, as sent: of several the first, which has the longer path. Nothing if there is
    // none. Its bytes need not be UTF-8. Source: RFC 6265 §4.2 and §5.4.
    std::optional<std::string_view> cookie(std::string_view name) const noexcept;

    // The whole body. The first call reads it from the client and parks until it is there, so make it before
    // others get the request, and before anything scarce is held.
    // Throws: rejected: 413 when it is larger than it may be, 415 when it is encoded, 408 when the time for
    // it is over, 400 when it is malformed; cancelled when the client has gone.
    std::string_view body() const { return body_.all(); }

    // The body's next bytes, at most `into.size()`; 0 at its end. A client that sends more than is read
    // waits. What was read is gone, for body() too. Parks. Throws: like body().
    std::size_t read_body(std::span<char> into) const { return body_.read_some(into); }

    // In bytes, if the client has said it.
    std::optional<std::uint64_t> body_length() const noexcept { return body_.length(); }

    // The body as a T described by Boost.Describe (json.hpp has the rules).
    // Throws: bad_request; rejected (415) when the body says it is something else.
    template <class T>
    T json() const
    {
        expect_json(*this);
        return from_json<T>(body());
    }

    // The body as the fields of an HTML form (form.hpp has the rules).
    // Throws: bad_request; rejected (415) unless the body says it is one; like body().
    http::form form() const;

    std::string_view peer() const noexcept { return at(peer_); } // "127.0.0.1:40312"; empty in tests
    // Who asks, and how: what trusted proxies say, if forwarded() is around, or else the connection.
    std::string_view client() const noexcept; // an address without port: "192.0.2.7", "2001:db8::1"
    std::string_view scheme() const noexcept { return scheme_; } // "http" or "https"
    // Of whom it was asked, "example.org:8080": the host of an absolute-form target, or else the field Host,
    // in the client's spelling; empty if there is neither (HTTP/1.0). Source: RFC 9112 §3.3.
    std::string_view host() const noexcept;
    // Whom the client's certificate is for, "CN=ada,O=Example" (RFC 4514), where one was asked for and shown;
    // it has been verified. Empty otherwise.
    std::string_view client_certificate() const noexcept { return at(client_certificate_); }
    // Set by the middleware of that name.
    std::string_view request_id() const noexcept { return {request_id_.data(), request_id_.size()}; }
    // The pattern that took it; set by the router.
    std::string_view route() const noexcept { return route_; }

    // Building: for the wire, the client and tests. set_target() comes first, as it does on the wire.
    // Views returned earlier are void after any of these.
    void clear() noexcept; // keeps the memory, for the next request of the connection
    // The whole head's bytes, of which target, names and values are to be parts: a part is not copied again.
    // What is returned stays where it is until the body is read.
    std::string_view take_head(std::string_view bytes);
    void set_method(http::verb method) noexcept { method_ = method; }
    void set_method(http::verb method, std::string_view text); // `text` of verb::unknown
    void set_target(std::string_view target);
    void set_version(unsigned version) noexcept { version_ = version; }
    void set_peer(std::string_view peer);
    void set_secure(std::string_view client_certificate); // it came over TLS; empty: the client showed none
    void add_field(http::field id, std::string_view name, std::string_view value);
    void add_field(std::string_view name, std::string_view value);
    void set_body(std::string&& body) noexcept { body_.assign(std::move(body)); }
    void set_body(const request_body::origin& from, std::uint64_t limit) noexcept { body_.open(from, limit); }

    // Throws: error, when the name is no token or the value has CR, LF or NUL.
    request& with_header(http::field name, std::string_view value) &;
    request& with_header(std::string_view name, std::string_view value) &;
    request with_header(http::field name, std::string_view value) &&
    {
        return std::move(with_header(name, value));
    }
    request with_header(std::string_view name, std::string_view value) &&
    {
        return std::move(with_header(name, value));
    }

    // What middleware and router find out on the way, hence on a const request. One fiber passes it through
    // them; it is not changed any more when the handler runs, which may hand it to others.
    void set_request_id(std::string_view id) const;                               // cut at max_request_id
    void set_client(std::string_view address) const;                              // cut at max_client
    void set_scheme(std::string_view scheme) const noexcept { scheme_ = scheme; } // outlives the request
    void set_host(std::string_view host) const { host_ = host; }
    void set_route(std::string_view pattern) const noexcept { route_ = pattern; } // outlives the request
    void set_body_limit(std::uint64_t bytes) const noexcept { body_.set_limit(bytes); } // before it is read
    const request_body::origin& body_origin() const noexcept { return body_.from(); }
    void set_body_origin(const request_body::origin& plain) const noexcept { body_.set_origin(plain); }
    void clear_parameters() const noexcept;
    // `raw` is a part of raw_path(). Throws: bad_request when it is not well encoded.
    void add_parameter(std::string_view name, std::string_view raw) const;

private:
    struct place // in bytes_
    {
        std::uint32_t offset = 0;
        std::uint32_t size = 0;
    };
    struct entry
    {
        http::field id;
        place name;
        place value;
    };
    struct parameter_entry
    {
        std::string_view name; // belongs to the router
        place where;
        bool decoded; // in decoded_, not in bytes_
    };

    std::string_view at(place p) const noexcept { return std::string_view(bytes_).substr(p.offset, p.size); }
    place keep(std::string_view text);
    std::string_view parameter(std::string_view name) const;
    std::optional<std::string> query_text(std::string_view name) const;
    std::vector<std::string> query_texts(std::string_view name) const;

    http::verb method_ = http::verb::get;
    unsigned version_ = 11;
    std::string bytes_; // the head, or target, names and values one after the other; and the peer
    mutable request_body body_;
    place method_text_;
    place target_;
    place path_;
    place query_;
    place peer_;
    place client_certificate_;
    boost::container::small_vector<entry, 16> fields_;

    mutable std::string_view route_;
    mutable std::string_view scheme_ = "http";
    mutable std::string host_;                        // empty: as the client says
    mutable boost::static_string<max_client> client_; // empty: as the peer says
    mutable boost::static_string<max_request_id> request_id_;
    mutable boost::container::static_vector<parameter_entry, max_parameters> parameters_;
    mutable std::string decoded_; // of parameters that were percent-encoded
};

// Requests for upstreams and tests. A body is JSON, and says so.
request get(std::string_view target);
request head(std::string_view target);
request del(std::string_view target);
request options(std::string_view target);
request post(std::string_view target, std::string body);
request put(std::string_view target, std::string body);
request patch(std::string_view target, std::string body);

} // namespace heddle::http
