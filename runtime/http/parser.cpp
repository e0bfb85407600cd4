#include "http/parser.hpp"

#include "http/field_list.hpp"
#include "http/target.hpp"
#include "http/token.hpp"

namespace heddle::http {

namespace {

// Each step returns ok, or what is to be answered instead of going on.
class head_reader
{
public:
    head_reader(std::string_view head, const parse_limits& limits, request& into) noexcept
        : left_(head), limits_(limits), into_(into)
    {
    }

    http::status read();
    const framing_fields& fields() const noexcept { return fields_; }
    bool keep_alive() const noexcept { return !closes_ && (fields_.version >= 11 || stays_); }

private:
    http::status read_start_line();
    http::status take_version(std::string_view version);
    http::status take_target(std::string_view target);
    http::status read_field();
    http::status look_at(field id, std::string_view value);
    http::status take_host(std::string_view value);
    http::status take_connection(std::string_view value);

    std::string_view left_;
    const parse_limits& limits_;
    request& into_;
    framing_fields fields_;
    std::string_view authority_; // of a target in absolute form
    std::size_t count_ = 0;
    bool closes_ = false;
    bool stays_ = false;
};

http::status head_reader::read()
{
    if (const http::status refusal = read_start_line(); refusal != status::ok)
        return refusal;
    while (!left_.starts_with("\r\n")) {
        if (const http::status refusal = read_field(); refusal != status::ok)
            return refusal;
    }
    return left_.size() == 2 ? status::ok : status::bad_request;
}

// A target has no space, so one more than two in the line is found there. HTTP/0.9 has only one.
// Source: RFC 9112 section 3.
http::status head_reader::read_start_line()
{
    const std::size_t end = left_.find("\r\n");
    if (end == std::string_view::npos)
        return status::bad_request;
    const std::string_view line = left_.substr(0, end);
    left_.remove_prefix(end + 2);
    const std::size_t first = line.find(' ');
    const std::size_t last = line.rfind(' ');
    if (first == last || !is_token(line.substr(0, first)))
        return status::bad_request;

    const std::string_view method = line.substr(0, first);
    const verb known = boost::beast::http::string_to_verb({method.data(), method.size()});
    into_.set_method(known, method);
    if (const http::status refusal = take_version(line.substr(last + 1)); refusal != status::ok)
        return refusal;
    return take_target(line.substr(first + 1, last - first - 1));
}

// A minor version that is not known is read as the highest that is. Source: RFC 9112 section 2.3, RFC 9110
// section 2.5.
http::status head_reader::take_version(std::string_view version)
{
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (version.size() != 8 || !version.starts_with("HTTP/") || version[6] != '.' || !is_digit(version[5]) ||
        !is_digit(version[7]))
        return status::bad_request;
    if (version[5] != '1')
        return status::http_version_not_supported;
    fields_.version = version[7] == '0' ? 10 : 11;
    into_.set_version(fields_.version);
    return status::ok;
}

// Nobody is connected to anybody from here. Source: RFC 9112 section 3.2.
http::status head_reader::take_target(std::string_view target)
{
    if (target.size() > limits_.target)
        return status::uri_too_long;
    if (!is_target_text(target))
        return status::bad_request;
    into_.set_target(target);
    if (into_.method() == verb::connect)
        return status::not_implemented;
    if (target.starts_with('/'))
        return status::ok;
    if (target == "*")
        return into_.method() == verb::options ? status::ok : status::bad_request;
    authority_ = authority_of(target);
    return is_authority(authority_) ? status::ok : status::bad_request;
}

// A space before the name or the colon is no part of a name, and so is a line that goes on with the one
// before. Source: RFC 9112 section 5, RFC 9110 section 5.5.
http::status head_reader::read_field()
{
    std::size_t colon = 0;
    while (colon != left_.size() && token_bytes[static_cast<unsigned char>(left_[colon])])
        ++colon;
    if (colon == 0 || colon == left_.size() || left_[colon] != ':')
        return status::bad_request;
    std::size_t end = colon + 1;
    while (end != left_.size() && !is_control(left_[end]))
        ++end;
    if (!left_.substr(end).starts_with("\r\n"))
        return status::bad_request;
    const std::string_view name = left_.substr(0, colon);
    const std::string_view value = trimmed(left_.substr(colon + 1, end - colon - 1));
    left_.remove_prefix(end + 2);

    if (++count_ > limits_.fields)
        return status::request_header_fields_too_large;
    const field id = boost::beast::http::string_to_field({name.data(), name.size()});
    const http::status refusal = look_at(id, value);
    if (refusal == status::ok)
        into_.add_field(id, name, id == field::host && !authority_.empty() ? authority_ : value);
    return refusal;
}

// Of several lines, the one that asks for more is what counts.
http::status head_reader::look_at(field id, std::string_view value)
{
    if (id == field::host)
        return take_host(value);
    if (id == field::connection)
        return take_connection(value);
    if (id == field::content_length) {
        ++fields_.lengths;
        fields_.length = value;
    } else if (id == field::transfer_encoding) {
        ++fields_.codings;
        fields_.coding = value;
    } else if (id == field::expect) {
        if (fields_.expect.empty() || same_name(fields_.expect, "100-continue"))
            fields_.expect = value;
    } else if (id == field::content_encoding) {
        if (fields_.content_encoding.empty() || same_name(fields_.content_encoding, "identity"))
            fields_.content_encoding = value;
    }
    return status::ok;
}

// It may be empty where the target is of no host either. Source: RFC 9112 sections 3.2 and 3.2.4.
http::status head_reader::take_host(std::string_view value)
{
    ++fields_.hosts;
    if (value.empty() && into_.target() == "*")
        return status::ok;
    return is_authority(value) ? status::ok : status::bad_request;
}

// What it asks for beyond these, an upgrade for one, is not done, which is an answer. Source: RFC 9112
// section 9.3, RFC 9110 sections 7.6.1 and 7.8.
http::status head_reader::take_connection(std::string_view value)
{
    while (!value.empty()) {
        const std::string_view option = take_element(value);
        if (!option.empty() && !is_token(option))
            return status::bad_request;
        closes_ = closes_ || same_name(option, "close");
        stays_ = stays_ || same_name(option, "keep-alive");
    }
    return status::ok;
}

} // namespace

parsed_head parse_head(std::string_view head, const parse_limits& limits, request& into)
{
    head_reader reader(into.take_head(head), limits, into);
    if (const http::status refusal = reader.read(); refusal != status::ok)
        return {.framing = {.refusal = refusal}};
    return {.framing = decide_framing(reader.fields()), .keep_alive = reader.keep_alive()};
}

} // namespace heddle::http
