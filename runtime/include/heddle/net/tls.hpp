// What TLS is spoken with: certificates, whom to trust, and what is allowed. TLS 1.2 (RFC 5246, with forward
// secrecy and authenticated encryption only) and TLS 1.3 (RFC 8446), by OpenSSL.
#pragma once

#include <heddle/net/error.hpp>

#include <memory>
#include <string>
#include <vector>

namespace heddle::net {

// The hand-shake failed, or the peer broke the protocol.
class tls_error : public broken
{
public:
    explicit tls_error(const std::string& what, bool is_plain_http = false)
        : broken(what), is_plain_http_(is_plain_http)
    {
    }

    // A client speaks HTTP without TLS, and would understand an answer of the same kind.
    bool is_plain_http() const noexcept { return is_plain_http_; }

private:
    bool is_plain_http_;
};

enum class tls_version
{
    v1_2,
    v1_3,
};

// Two PEM files.
struct tls_certificate
{
    std::string chain; // the certificate, then those between it and a root
    std::string key;   // may be the same file

    bool operator==(const tls_certificate&) const = default;
};

struct tls_server_options
{
    enum class clients
    {
        not_asked,
        may_have, // a certificate; one that is not trusted ends the hand-shake
        must_have,
    };

    // Which one is shown is the client's choice by name (SNI, RFC 6066 section 3); the first goes to those
    // that give no name, or another one.
    std::vector<tls_certificate> certificates;
    tls_version minimum = tls_version::v1_2;
    std::vector<std::string> protocols = {"http/1.1"}; // ALPN, RFC 7301; the first that the client has, too
    clients client_certificates = clients::not_asked;
    std::string client_authorities; // PEM file: whose certificates of clients are trusted
};

struct tls_client_options
{
    std::string authorities; // PEM file: who is trusted; empty: whom the system trusts
    bool verify = true;      // false: whoever answers is believed
    tls_version minimum = tls_version::v1_2;
    std::vector<std::string> protocols = {"http/1.1"};
    tls_certificate certificate; // shown to a server that asks; empty: none
};

// Ready to be used, and never changed: to change something make another one, and use it from then on.
// Threads: any.
class tls_context;
using tls_context_ptr = std::shared_ptr<const tls_context>;

// Reads the files. Throws: config_error, with the file and what is wrong with it.
tls_context_ptr make_tls_context(const tls_server_options& options);
tls_context_ptr make_tls_context(const tls_client_options& options);

} // namespace heddle::net
