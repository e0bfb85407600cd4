// Arbitrary JSON: what is read and written again reads back the same, and any text can be written.
#include <heddle/http/json.hpp>
#include <heddle/http/problem.hpp>

#include "require.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace http = heddle::http;

namespace {

enum class colour
{
    red,
    green
};
BOOST_DESCRIBE_ENUM(colour, red, green)

// One of each; all may be missing, so that mutations find their way from one to the next.
struct things
{
    std::optional<std::string> text;
    std::optional<bool> flag;
    std::optional<std::int8_t> small;
    std::optional<std::int64_t> large;
    std::optional<std::uint64_t> natural;
    std::optional<double> real;
    std::optional<colour> paint;
    std::optional<std::vector<std::vector<std::int32_t>>> lists;
    std::optional<std::map<std::string, std::optional<double>>> named;
    std::optional<std::vector<std::map<std::string, std::string>>> inner;
};
BOOST_DESCRIBE_STRUCT(things, (), (text, flag, small, large, natural, real, paint, lists, named, inner))

std::optional<std::string> again(std::string_view text, const http::json_options& options)
{
    try {
        return http::to_json(http::from_json<things>(text, options));
    } catch (const http::bad_request&) {
        return std::nullopt;
    }
}

// Whether it is one value, whatever it is.
bool is_json(std::string_view text)
{
    try {
        http::json_reader in(text);
        in.skip();
        in.finish();
        return true;
    } catch (const http::bad_request&) {
        return false;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes = text_of(data, size);
    const auto strict = again(bytes, {});
    const auto lax = again(bytes, {.unknown_members = http::json_options::unknown::ignore});
    if (strict) {
        require(again(*strict, {}) == strict);
        require(lax == strict);
    }
    if (lax)
        require(is_json(bytes));

    std::string written;
    http::append_json(written, bytes);
    const auto text = http::from_json<std::string>(written);
    std::string twice;
    http::append_json(twice, std::string_view(text));
    require(twice == written); // bytes that are no UTF-8 are replaced once
    return 0;
}
