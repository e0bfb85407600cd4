// Heads and chunked bodies from arbitrary bytes: whatever they are, cutting them in two changes nothing.
#include "http/chunked.hpp"
#include "http/head_search.hpp"
#include "http/parser.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace http = heddle::http;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

struct decoded
{
    std::string body;
    std::size_t used = 0;
    bool is_done = false;
    bool is_malformed = false;

    bool operator==(const decoded&) const = default;
};

decoded decode(std::string_view bytes, std::size_t cut)
{
    http::chunk_decoder decoder;
    decoded result;
    while (result.used < bytes.size() && !decoder.is_done() && !decoder.is_malformed()) {
        const std::size_t end = result.used < cut ? cut : bytes.size();
        const auto step = decoder.next(bytes.substr(result.used, end - result.used));
        result.body += step.data;
        result.used += step.used;
    }
    result.is_done = decoder.is_done();
    result.is_malformed = decoder.is_malformed();
    return result;
}

void try_head(std::string_view bytes, std::size_t cut)
{
    const http::head_search whole = http::find_head_end(bytes, 0);
    const http::head_search first = http::find_head_end(bytes.substr(0, cut), 0);
    require(first.size <= cut);
    if (first.found == http::head_search::state::incomplete) {
        const http::head_search second = http::find_head_end(bytes, first.size);
        require(second.found == whole.found && second.size == whole.size);
    } else {
        require(first.found == whole.found && first.size == whole.size);
    }
    if (whole.found != http::head_search::state::complete)
        return;
    http::request request;
    const http::parsed_head head = http::parse_head(bytes.substr(0, whole.size), {}, request);
    if (head.framing.refusal != http::status::ok)
        return;
    require(request.header_count() <= 100);
    require(request.header(http::field::transfer_encoding).empty() ||
            head.framing.body == http::framing::body_kind::chunked);
    require(head.framing.body != http::framing::body_kind::sized || head.framing.length > 0);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 2)
        return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
    const std::size_t cut = (data[0] << 8 | data[1]) % (bytes.size() + 1);
    try_head(bytes, cut);
    require(decode(bytes, cut) == decode(bytes, 0));
    return 0;
}
