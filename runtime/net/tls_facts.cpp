// What both sides of a TLS connection have agreed on, and who they are.
#include <heddle/net/tls_stream.hpp>

#include "net/tls_openssl.hpp"

#include <memory>
#include <string>

#include <openssl/bio.h>
#include <openssl/x509.h>

namespace heddle::net {

std::string tls_stream::protocol() const
{
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl_, &name, &size);
    return {reinterpret_cast<const char*>(name), size};
}

std::string tls_stream::version() const
{
    return SSL_get_version(ssl_);
}

std::string tls_stream::peer_subject() const
{
    X509* const certificate = SSL_get0_peer_certificate(ssl_);
    std::unique_ptr<BIO, freed<&BIO_free_all>> text(certificate ? BIO_new(BIO_s_mem()) : nullptr);
    if (!text)
        return {};
    X509_NAME_print_ex(text.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(text.get(), &bytes);
    return {bytes, static_cast<std::size_t>(size)};
}

bool tls_stream::was_resumed() const noexcept
{
    return SSL_session_reused(ssl_) == 1;
}

} // namespace heddle::net
