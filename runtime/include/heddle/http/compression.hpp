// gzip answers for clients that want them.
#pragma once

#include <heddle/http/words.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::http {

struct compression_options
{
    int level = 5;                  // 1 fastest to 9 smallest
    std::size_t least_bytes = 1024; // smaller bodies fit into one packet anyway; streams are of no known size
    // Media types; "text/*" is all of them.
    std::vector<std::string> types = {"text/*",
                                      "application/json",
                                      "application/problem+json",
                                      "application/x-ndjson",
                                      "application/javascript",
                                      "application/xml",
                                      "application/xhtml+xml",
                                      "application/manifest+json",
                                      "application/wasm",
                                      "image/svg+xml"};
};

// Sends answers as gzip where the request's Accept-Encoding prefers it, unless they have a Content-Encoding,
// a Content-Range or `Cache-Control: no-transform`. A strong ETag becomes a weak one, as the bytes are
// others. A stream's every write can be read by the client when it has arrived, so few large writes pack
// better than many small ones. Answers that hold a secret beside what the client may choose can be guessed by
// their size (BREACH): send those `no-transform`. Parks: for bodies of more than 64 KiB, until a compute
// worker is free; if the request's time is over before, the answer goes out as it is. Throws: config_error,
// when the level is not 1 to 9.
middleware compression(compression_options options = {});

} // namespace heddle::http
