// What the files that speak with OpenSSL have in common.
#pragma once

#include <heddle/net/tls.hpp>

#include <memory>
#include <string>
#include <vector>

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace heddle::net {

template <auto Free>
struct freed
{
    template <class T>
    void operator()(T* p) const noexcept
    {
        Free(p);
    }
};

using ctx_ptr = std::unique_ptr<SSL_CTX, freed<&SSL_CTX_free>>;

class tls_context
{
public:
    ctx_ptr first;                        // what a connection begins with
    std::vector<ctx_ptr> others;          // of a server, by the names in their certificates
    std::vector<unsigned char> protocols; // as ALPN wants them: each after its length
};

// The oldest error of this thread's queue in words, which is the cause of the others; the queue is empty
// then.
std::string tls_reason();

} // namespace heddle::net
