// A listener's certificates: read at the start and when somebody asks for that, used by every new connection.
#pragma once

#include "fiber/spin.hpp"

#include <heddle/net/tls.hpp>

#include <utility>

namespace heddle::http {

class tls_door
{
public:
    // Throws: config_error.
    explicit tls_door(net::tls_server_options options)
        : options_(std::move(options)), context_(net::make_tls_context(options_))
    {
    }

    // Reads the files again, which blocks. Throws: config_error.
    net::tls_context_ptr read_again() const { return net::make_tls_context(options_); }

    // For connections from now on. Threads: any.
    void use(net::tls_context_ptr context) noexcept
    {
        fiber::spin_lock guard(lock_);
        context_.swap(context);
    }

    net::tls_context_ptr context() const noexcept
    {
        fiber::spin_lock guard(lock_);
        return context_;
    }

private:
    net::tls_server_options options_;
    mutable fiber::spin lock_; // guards context_
    net::tls_context_ptr context_;
};

} // namespace heddle::http
