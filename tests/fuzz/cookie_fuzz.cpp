// Arbitrary cookies: one that is set is one line, has the attributes that were asked for and no other, and
// comes back as it was; one that is found lies in what was sent.
#include <heddle/base/error.hpp>
#include <heddle/http/cookie.hpp>
#include <heddle/http/message.hpp>

#include "require.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace http = heddle::http;

namespace {

// Takes what stands before the next NUL.
std::string take(std::string_view& bytes)
{
    const std::string_view part = bytes.substr(0, bytes.find('\0'));
    bytes.remove_prefix(std::min(part.size() + 1, bytes.size()));
    return std::string(part);
}

void set(const http::cookie& wanted)
{
    http::response answer;
    try {
        http::set_cookie(answer, wanted);
    } catch (const heddle::error&) {
        require(answer.header_lines().empty());
        return;
    }
    const std::string_view line = answer.header_lines();
    require(line.find_first_of("\r\n") + 2 == line.size() && line.ends_with("\r\n"));
    const auto attributes = std::count(line.begin(), line.end(), ';');
    require(attributes == 1 + !wanted.path.empty() + !wanted.domain.empty() + wanted.max_age.has_value() +
                              wanted.secure + wanted.http_only);
    const http::request req = http::get("/").with_header("Cookie", wanted.name + '=' + wanted.value);
    require(req.cookie(wanted.name) == wanted.value);
}

void find(std::string_view sent, std::string_view name)
{
    http::request req;
    req.add_field("Cookie", sent);
    const auto value = req.cookie(name);
    if (!value)
        return;
    require(value->find(';') == value->npos);
    require(sent.find(std::string(name) + '=') != sent.npos ||
            sent.find(std::string(name) + ' ') != sent.npos ||
            sent.find(std::string(name) + '\t') != sent.npos);
    require(sent.find(*value) != sent.npos);
}

} // namespace

// The first byte: what is asked for besides. Then name, value, path and domain, and what a browser sends.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0)
        return 0;
    std::string_view bytes = text_of(data + 1, size - 1);
    http::cookie wanted;
    wanted.name = take(bytes);
    wanted.value = take(bytes);
    wanted.path = take(bytes);
    wanted.domain = take(bytes);
    wanted.secure = data[0] & 1;
    wanted.http_only = data[0] & 2;
    wanted.from = static_cast<http::cookie::same_site>(data[0] % 3);
    if (data[0] & 4)
        wanted.max_age = std::chrono::seconds(data[0]);
    set(wanted);
    find(bytes, wanted.name);
    return 0;
}
