// Ends a scope when the client resets.
#pragma once

#include <heddle/net/stream.hpp>

namespace heddle::http {

class reset_watch
{
public:
    reset_watch(net::stream& stream, fiber::scope& request) noexcept : stream_(stream)
    {
        stream_.cancel_on_reset(&request);
    }
    ~reset_watch() { stream_.cancel_on_reset(nullptr); }
    reset_watch(const reset_watch&) = delete;
    reset_watch& operator=(const reset_watch&) = delete;

private:
    net::stream& stream_;
};

} // namespace heddle::http
