#include "http/response_parser.hpp"

#include <heddle/base/error.hpp>

#include "http/hop_by_hop.hpp"

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <charconv>
#include <string>
#include <utility>
#include <vector>

namespace heddle::http {

namespace {

namespace beast = boost::beast;
using beast::error_code;

std::string_view view_of(beast::string_view text) noexcept
{
    return {text.data(), text.size()};
}

[[noreturn]] void refuse_head(const std::string& why)
{
    throw error(kind::upstream, "the answer's head is malformed: " + why);
}

// Gathers what Beast's parser finds: views of the head.
class answer_parser : public beast::http::basic_parser<false>
{
public:
    struct line
    {
        std::string_view name;
        std::string_view value;
    };

    int status() const noexcept { return status_; }
    int version() const noexcept { return version_; }
    const std::vector<line>& lines() const noexcept { return lines_; }

protected:
    void on_response_impl(int code, beast::string_view, int version, error_code&) override
    {
        status_ = code;
        version_ = version;
    }
    void on_field_impl(field, beast::string_view name, beast::string_view value, error_code&) override
    {
        lines_.push_back({view_of(name), view_of(value)});
    }

    // The body is not this parser's: it is given the head only.
    void on_request_impl(verb, beast::string_view, beast::string_view, int, error_code&) override {}
    void on_header_impl(error_code&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(beast::string_view, error_code&) override { return 0; }
    void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view, error_code&) override { return 0; }
    void on_finish_impl(error_code&) override {}

private:
    int status_ = 0;
    int version_ = 0;
    std::vector<line> lines_;
};

// The fields that decide where the body ends, and whether the connection goes on.
struct framing_lines
{
    int lengths = 0;
    int codings = 0;
    std::string_view length;
    std::string_view coding;
    std::string connection; // all of them, as one list
};

framing_lines gather(const std::vector<answer_parser::line>& lines)
{
    framing_lines found;
    for (const auto& [name, value] : lines) {
        if (same_name(name, "content-length")) {
            ++found.lengths;
            found.length = value;
        } else if (same_name(name, "transfer-encoding")) {
            ++found.codings;
            found.coding = value;
        } else if (same_name(name, "connection")) {
            found.connection.append(value).append(",");
        }
    }
    return found;
}

std::uint64_t parse_length(std::string_view text)
{
    std::uint64_t length = 0;
    const char* const end = text.data() + text.size();
    const auto [last, failure] = std::from_chars(text.data(), end, length);
    if (text.empty() || failure != std::errc() || last != end)
        refuse_head("a Content-Length that is no number");
    return length;
}

void decide_body(const framing_lines& found, int version, bool may_have_body, received_head& into)
{
    using enum received_head::body_kind;
    if (found.lengths > 1 || found.codings > 1 || (found.lengths > 0 && found.codings > 0))
        refuse_head("more than one word about its length");
    if (found.lengths > 0)
        into.length = parse_length(found.length);
    if (found.codings > 0 && (version < 11 || !same_name(found.coding, "chunked")))
        refuse_head("a Transfer-Encoding that is not known");
    if (!may_have_body)
        into.length = 0;
    else if (found.codings > 0)
        into.body = chunked;
    else if (found.lengths > 0)
        into.body = into.length > 0 ? sized : none;
    else
        into.body = until_close;
}

// One that has no body, and says that it has one, leaves bytes behind for some readers: nothing follows it.
bool contradicts_itself(const framing_lines& found, int status)
{
    const bool is_bodiless = status < 200 || status == 204;
    return is_bodiless && (found.codings > 0 || (found.lengths > 0 && found.length != "0"));
}

bool lasts(const framing_lines& found, int version)
{
    if (has_option(found.connection, "close"))
        return false;
    return version >= 11 || has_option(found.connection, "keep-alive");
}

void keep_fields(const std::vector<answer_parser::line>& lines, std::string_view connection, response& into)
{
    for (const auto& [name, value] : lines) {
        if (!is_token(name) || !is_field_value(value))
            refuse_head("a field with a byte that may not be in one");
        if (!is_hop_by_hop(name) && !has_option(connection, name))
            into.add_header(name, value);
    }
}

void read_lines(std::string_view head, std::size_t most_fields, answer_parser& parser)
{
    parser.header_limit(static_cast<std::uint32_t>(head.size() + 1)); // it was limited before it was complete
    parser.body_limit(boost::none);
    parser.eager(false);
    error_code failure;
    parser.put({head.data(), head.size()}, failure);
    if (failure)
        refuse_head(failure.message());
    if (!parser.is_header_done())
        refuse_head("it has no end");
    if (parser.status() < 100 || parser.status() > 599)
        refuse_head("the status " + std::to_string(parser.status()));
    if (parser.lines().size() > most_fields)
        refuse_head("more than " + std::to_string(most_fields) + " fields");
}

} // namespace

received_head parse_response_head(std::string_view head, bool asked_for_head, std::size_t most_fields)
{
    answer_parser parser;
    read_lines(head, most_fields, parser);
    const int status = parser.status();
    const framing_lines found = gather(parser.lines());

    received_head read;
    read.answer.set_status(static_cast<http::status>(status));
    const bool may_have_body = !asked_for_head && status >= 200 && status != 204 && status != 304;
    decide_body(found, parser.version(), may_have_body, read);
    read.keep_alive = lasts(found, parser.version()) && !contradicts_itself(found, status) &&
                      read.body != received_head::body_kind::until_close;
    keep_fields(parser.lines(), found.connection, read.answer);
    return read;
}

} // namespace heddle::http
