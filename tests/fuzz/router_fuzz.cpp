// Arbitrary methods and targets: the router finds what a reader of its rules would find, and a parameter is
// what was escaped into the path.
#include <heddle/http/answer.hpp>
#include <heddle/http/escape.hpp>
#include <heddle/http/router.hpp>

#include "require.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace http = heddle::http;

namespace {

constexpr std::string_view patterns[] = {"/",      "/a",         "/a/{x}",     "/a/b",
                                         "/{x}/b", "/{x}/{y}/c", "/a/b/c/{x}", "/a/"};

const http::router& routes()
{
    static const auto* const all = [] {
        auto* made = new http::router;
        for (const std::string_view pattern : patterns)
            made->get(pattern, [pattern](const http::request&) { return std::string(pattern); });
        made->post("/a/{x}", [](const http::request& req) { return req.path<std::string>("x"); });
        return made;
    }();
    return *all;
}

std::vector<std::string_view> split(std::string_view path)
{
    std::vector<std::string_view> segments;
    for (std::size_t at = 1;;) {
        const std::size_t slash = path.find('/', at);
        segments.push_back(path.substr(at, slash - at));
        if (slash == path.npos)
            return segments;
        at = slash + 1;
    }
}

bool fits(std::string_view pattern, const std::vector<std::string>& segments)
{
    const auto wanted = split(pattern);
    if (wanted.size() != segments.size())
        return false;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (wanted[i].starts_with('{') ? segments[i].empty() : wanted[i] != segments[i])
            return false;
    return true;
}

// Whether any pattern fits; nothing to say about a path that cannot be decoded.
void compare(std::string_view path, const http::response& found)
{
    std::vector<std::string> segments;
    for (const std::string_view raw : split(path)) {
        const auto text = http::unescape(raw);
        if (!text)
            return;
        segments.push_back(*text);
    }
    bool is_there = false;
    for (const std::string_view pattern : patterns)
        is_there = is_there || fits(pattern, segments);
    require(found.status() == (is_there ? http::status::ok : http::status::not_found));
    if (is_there)
        require(fits(found.body(), segments));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes = text_of(data, size);
    const std::string target = '/' + std::string(bytes);
    const http::request get(http::verb::get, target);
    const http::response found = http::answer(get, std::ref(routes()));
    compare(get.raw_path(), found);
    require(http::answer(http::request(http::verb::head, target), std::ref(routes())).status() ==
            found.status());

    const std::string escaped = http::escape(bytes);
    const auto echo = http::answer(http::request(http::verb::post, "/a/" + escaped), std::ref(routes()));
    const bool is_text = http::unescape(escaped).has_value();
    if (bytes.empty())
        require(echo.status() == http::status::method_not_allowed); // "/a/" is there to be got
    else
        require(is_text ? echo.body() == bytes : echo.status() == http::status::bad_request);
    return 0;
}
