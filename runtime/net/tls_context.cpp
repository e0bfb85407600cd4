#include "net/tls_openssl.hpp"

#include <heddle/base/error.hpp>

#include <array>
#include <string_view>

#include <openssl/crypto.h>
#include <openssl/x509v3.h>

namespace heddle::net {

namespace {

// Forward secrecy and authenticated encryption; TLS 1.3 has nothing else.
constexpr const char* ciphers_of_1_2 = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr int security_level = 2; // 112 bits: of RSA, 2048
constexpr unsigned char session_context[] = "heddle";

[[noreturn]] void refuse(const std::string& what, const std::string& file)
{
    throw config_error("tls: " + what + " " + file + ": " + tls_reason());
}

// A key with a pass phrase is refused: nobody is there to be asked, and OpenSSL would wait for an answer.
int no_pass_phrase(char*, int, int, void*)
{
    return -1;
}

std::vector<unsigned char> wire_form(const std::vector<std::string>& protocols)
{
    std::vector<unsigned char> out;
    for (const std::string& one : protocols) {
        if (one.empty() || one.size() > 255)
            throw config_error("tls: a protocol's name must be 1 to 255 bytes: \"" + one + "\"");
        out.push_back(static_cast<unsigned char>(one.size()));
        out.insert(out.end(), one.begin(), one.end());
    }
    return out;
}

ctx_ptr new_ctx(const SSL_METHOD* method, tls_version minimum)
{
    ERR_clear_error();
    ctx_ptr made(SSL_CTX_new(method));
    if (!made)
        throw config_error("tls: " + tls_reason());
    SSL_CTX* const ctx = made.get();
    SSL_CTX_set_min_proto_version(ctx, minimum == tls_version::v1_3 ? TLS1_3_VERSION : TLS1_2_VERSION);
    SSL_CTX_set_security_level(ctx, security_level);
    SSL_CTX_set_default_passwd_cb(ctx, &no_pass_phrase);
    SSL_CTX_set_cipher_list(ctx, ciphers_of_1_2);
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_read_ahead(ctx, 1); // one call for several records
    SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                              SSL_MODE_RELEASE_BUFFERS); // an idle connection has none
    return made;
}

void use_certificate(SSL_CTX* ctx, const tls_certificate& files)
{
    ERR_clear_error();
    if (SSL_CTX_use_certificate_chain_file(ctx, files.chain.c_str()) != 1)
        refuse("cannot read the certificates in", files.chain);
    if (SSL_CTX_use_PrivateKey_file(ctx, files.key.c_str(), SSL_FILETYPE_PEM) != 1)
        refuse("cannot use, for the certificate in " + files.chain + ", the key in", files.key);
}

void trust(SSL_CTX* ctx, const std::string& file)
{
    ERR_clear_error();
    if (SSL_CTX_load_verify_locations(ctx, file.c_str(), nullptr) != 1)
        refuse("cannot read the authorities in", file);
}

// The first of the server's protocols that the client has. With a client that names others only there is
// nothing to be spoken. Source: RFC 7301 section 3.2.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                    unsigned in_size, void* argument)
{
    const auto& ours = static_cast<const tls_context*>(argument)->protocols;
    unsigned char* chosen = nullptr;
    if (SSL_select_next_proto(&chosen, out_size, ours.data(), static_cast<unsigned>(ours.size()), in,
                              in_size) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

bool is_for(SSL_CTX* ctx, std::string_view name)
{
    X509* const certificate = SSL_CTX_get0_certificate(ctx);
    return X509_check_host(certificate, name.data(), name.size(), 0, nullptr) == 1;
}

int choose_certificate(SSL* ssl, int*, void* argument)
{
    const auto& context = *static_cast<const tls_context*>(argument);
    const char* const name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
    if (!name || is_for(context.first.get(), name))
        return SSL_TLSEXT_ERR_OK;
    for (const ctx_ptr& other : context.others) {
        if (is_for(other.get(), name)) {
            SSL_set_SSL_CTX(ssl, other.get());
            break;
        }
    }
    return SSL_TLSEXT_ERR_OK;
}

void ask_clients(SSL_CTX* ctx, const tls_server_options& options)
{
    using clients = tls_server_options::clients;
    if (options.client_certificates == clients::not_asked)
        return;
    trust(ctx, options.client_authorities);
    SSL_CTX_set_client_CA_list(ctx, SSL_load_client_CA_file(options.client_authorities.c_str()));
    const bool must = options.client_certificates == clients::must_have;
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | (must ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nullptr);
}

ctx_ptr server_ctx(const tls_server_options& options, const tls_certificate& certificate, tls_context* owner)
{
    ctx_ptr made = new_ctx(TLS_server_method(), options.minimum);
    SSL_CTX* const ctx = made.get();
    // A client that goes without a word is one that has gone: its requests say themselves where they end.
    SSL_CTX_set_options(ctx, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA |
                                 SSL_OP_IGNORE_UNEXPECTED_EOF);
    use_certificate(ctx, certificate);
    ask_clients(ctx, options);
    SSL_CTX_set_session_id_context(ctx, session_context, sizeof session_context - 1);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF); // tickets do it, and cost us no memory
    SSL_CTX_set_num_tickets(ctx, 1);
    SSL_CTX_set_tlsext_servername_callback(ctx, &choose_certificate);
    SSL_CTX_set_tlsext_servername_arg(ctx, owner);
    if (!owner->protocols.empty())
        SSL_CTX_set_alpn_select_cb(ctx, &choose_protocol, owner);
    return made;
}

// A ticket is made by the certificate that was chosen, and read before one is: all must have the same keys.
void share_ticket_keys(SSL_CTX* from, SSL_CTX* to)
{
    std::array<unsigned char, 80> keys;
    const auto size = static_cast<long>(SSL_CTX_get_tlsext_ticket_keys(from, nullptr, 0));
    const bool is_shared = size > 0 && static_cast<std::size_t>(size) <= keys.size() &&
                           SSL_CTX_get_tlsext_ticket_keys(from, keys.data(), size) == 1 &&
                           SSL_CTX_set_tlsext_ticket_keys(to, keys.data(), size) == 1;
    OPENSSL_cleanse(keys.data(), keys.size());
    if (!is_shared)
        throw config_error("tls: the tickets' keys cannot be shared: " + tls_reason());
}

} // namespace

std::string tls_reason()
{
    const unsigned long code = ERR_get_error();
    ERR_clear_error();
    if (code == 0)
        return "no reason given";
    if (const char* const text = ERR_reason_error_string(code))
        return text;
    std::array<char, 256> text{};
    ERR_error_string_n(code, text.data(), text.size());
    return text.data();
}

tls_context_ptr make_tls_context(const tls_server_options& options)
{
    if (options.certificates.empty())
        throw config_error("tls: there is no certificate");
    auto made = std::make_shared<tls_context>();
    made->protocols = wire_form(options.protocols);
    for (const tls_certificate& one : options.certificates) {
        ctx_ptr ctx = server_ctx(options, one, made.get());
        if (!made->first) {
            made->first = std::move(ctx);
            continue;
        }
        share_ticket_keys(made->first.get(), ctx.get());
        made->others.push_back(std::move(ctx));
    }
    return made;
}

tls_context_ptr make_tls_context(const tls_client_options& options)
{
    auto made = std::make_shared<tls_context>();
    made->protocols = wire_form(options.protocols);
    made->first = new_ctx(TLS_client_method(), options.minimum);
    SSL_CTX* const ctx = made->first.get();
    if (options.verify) {
        SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, nullptr);
        if (!options.authorities.empty())
            trust(ctx, options.authorities);
        else if (SSL_CTX_set_default_verify_paths(ctx) != 1)
            throw config_error("tls: the system's authorities cannot be read: " + tls_reason());
    }
    if (!options.certificate.chain.empty())
        use_certificate(ctx, options.certificate);
    if (!made->protocols.empty())
        SSL_CTX_set_alpn_protos(ctx, made->protocols.data(), static_cast<unsigned>(made->protocols.size()));
    return made;
}

} // namespace heddle::net
