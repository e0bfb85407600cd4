#include "http/parser.hpp"

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

namespace heddle::http {

namespace {

namespace beast = boost::beast;
using beast::error_code;

std::string_view standard(beast::string_view text) noexcept
{
    return {text.data(), text.size()};
}

// Fills our request straight from Beast's parser, without Beast's own container of fields between them.
class head_parser : public beast::http::basic_parser<true>
{
public:
    head_parser(const parse_limits& limits, request& into) : limits_(limits), into_(into) {}

    const framing_fields& fields() const noexcept { return fields_; }
    http::status refusal() const noexcept { return refusal_; }

protected:
    void on_request_impl(verb method, beast::string_view method_text, beast::string_view target, int version,
                         error_code& failure) override
    {
        fields_.version = static_cast<unsigned>(version);
        if (target.size() > limits_.target)
            return refuse(status::uri_too_long, failure);
        into_.set_target(standard(target));
        const std::string_view path = into_.raw_path();
        if (!path.starts_with('/') && !(path == "*" && method == verb::options))
            return refuse(status::bad_request, failure);
        into_.set_version(fields_.version);
        if (method == verb::unknown)
            into_.set_method(method, standard(method_text));
        else
            into_.set_method(method);
    }

    void on_field_impl(field id, beast::string_view name, beast::string_view value,
                       error_code& failure) override
    {
        if (++count_ > limits_.fields)
            return refuse(status::request_header_fields_too_large, failure);
        if (id == field::host) {
            ++fields_.hosts;
        } else if (id == field::content_length) {
            ++fields_.lengths;
            fields_.length = standard(value);
        } else if (id == field::transfer_encoding) {
            ++fields_.codings;
            fields_.coding = standard(value);
        } else if (id == field::expect) {
            fields_.expect = standard(value);
        } else if (id == field::content_encoding) {
            fields_.content_encoding = standard(value);
        }
        into_.add_field(id, standard(name), standard(value));
    }

    // The body is not this parser's: it is given the head only.
    void on_response_impl(int, beast::string_view, int, error_code&) override {}
    void on_header_impl(error_code&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(beast::string_view, error_code&) override { return 0; }
    void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view, error_code&) override { return 0; }
    void on_finish_impl(error_code&) override {}

private:
    void refuse(http::status why, error_code& failure) noexcept
    {
        refusal_ = why;
        failure = beast::http::error::bad_field;
    }

    const parse_limits& limits_;
    request& into_;
    framing_fields fields_;
    std::size_t count_ = 0;
    http::status refusal_ = status::ok;
};

// Beast refuses a length that it cannot hold as if it were none. `line` is the field it stopped at.
bool is_length_too_large(std::string_view line) noexcept
{
    constexpr std::string_view spaces = " \t";
    line = line.substr(0, line.find('\r'));
    const auto first = line.find_first_not_of(spaces, line.find(':') + 1);
    if (first == std::string_view::npos)
        return false;
    const std::string_view value = line.substr(first, line.find_last_not_of(spaces) + 1 - first);
    return value.find_first_not_of("0123456789") == std::string_view::npos;
}

http::status refusal_for(const error_code& failure, const head_parser& parser, std::string_view unread)
{
    using beast::http::error;
    if (parser.refusal() != status::ok)
        return parser.refusal();
    if (failure == error::bad_version &&
        unread.substr(0, unread.find('\r')).find(" HTTP/") != std::string_view::npos)
        return status::http_version_not_supported;
    if (failure == error::header_limit)
        return status::request_header_fields_too_large;
    const bool is_only_length = parser.fields().codings == 0 && parser.fields().lengths == 0;
    if (failure == error::bad_content_length && is_only_length && is_length_too_large(unread))
        return status::payload_too_large;
    return status::bad_request;
}

} // namespace

parsed_head parse_head(std::string_view head, const parse_limits& limits, request& into)
{
    head = into.take_head(head);
    head_parser parser(limits, into);
    parser.header_limit(static_cast<std::uint32_t>(head.size() + 1)); // it was limited before it was complete
    parser.body_limit(boost::none);
    parser.eager(false);
    error_code failure;
    const std::size_t used = parser.put({head.data(), head.size()}, failure);
    if (failure)
        return {.framing = {.refusal = refusal_for(failure, parser, head.substr(used))}};
    if (!parser.is_header_done())
        return {.framing = {.refusal = status::bad_request}};
    return {.framing = decide_framing(parser.fields()), .keep_alive = parser.keep_alive()};
}

} // namespace heddle::http
