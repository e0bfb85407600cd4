// A gzip body, as the handler wants it: inflated while it is read.
#pragma once

#include "http/gzip.hpp"

#include <heddle/http/body_source.hpp>

#include <array>
#include <string_view>

namespace heddle::http {

class inflated_body final : public body_source
{
public:
    // `packed` must outlive it. Throws: std::bad_alloc.
    explicit inflated_body(body_source& packed) : packed_(packed), inflater_({}) {}

    // Throws: rejected, 400 for what is no gzip or ends too early, 413 for what grows too much; and like the
    // packed one.
    std::size_t read_some(std::span<char> into) override;

private:
    void check() const;
    bool read_more();

    body_source& packed_;
    gzip_inflater inflater_;
    std::array<char, 8 * 1024> buffer_;
    std::string_view unread_; // of the buffer
};

} // namespace heddle::http
