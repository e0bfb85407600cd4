#include <heddle/net/tls_stream.hpp>

#include "fiber/park.hpp"
#include "net/tls_openssl.hpp"

#include <algorithm>
#include <climits>
#include <new>
#include <utility>

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/x509v3.h>

namespace heddle::net {

namespace {

int clamped(std::size_t size) noexcept
{
    return static_cast<int>(std::min<std::size_t>(size, INT_MAX));
}

bool is_address(const std::string& host) noexcept
{
    in6_addr any;
    return ::inet_pton(AF_INET, host.c_str(), &any) == 1 || ::inet_pton(AF_INET6, host.c_str(), &any) == 1;
}

} // namespace

// OpenSSL reads and writes through the socket's calls that do not park. What they throw waits until OpenSSL,
// which is C, has returned.
struct tls_stream::bio
{
    static tls_stream& stream_of(BIO* b) noexcept { return *static_cast<tls_stream*>(BIO_get_data(b)); }

    static int read(BIO* b, char* into, int size) noexcept
    {
        tls_stream& stream = stream_of(b);
        BIO_clear_retry_flags(b);
        stream.may_have_more_ = false;
        try {
            const auto count = stream.socket_.try_read_some({into, static_cast<std::size_t>(size)});
            if (count < 0)
                BIO_set_retry_read(b);
            stream.may_have_more_ = count == size;
            stream.has_ended_ = count == 0;
            return static_cast<int>(count);
        } catch (...) {
            stream.failure_ = std::current_exception();
            return -1;
        }
    }

    static int write(BIO* b, const char* bytes, int size) noexcept
    {
        tls_stream& stream = stream_of(b);
        BIO_clear_retry_flags(b);
        try {
            const auto count = stream.socket_.try_write_some({bytes, static_cast<std::size_t>(size)});
            if (count > 0)
                return static_cast<int>(count);
            BIO_set_retry_write(b);
            return -1;
        } catch (...) {
            stream.failure_ = std::current_exception();
            return -1;
        }
    }

    static long control(BIO* b, int command, long, void*) noexcept
    {
        if (command == BIO_CTRL_EOF)
            return stream_of(b).has_ended_ ? 1 : 0;
        return command == BIO_CTRL_FLUSH ? 1 : 0; // nothing is kept here
    }

    static const BIO_METHOD* method()
    {
        static const BIO_METHOD* const made = [] {
            BIO_METHOD* const m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "heddle socket");
            if (!m)
                throw std::bad_alloc();
            BIO_meth_set_read(m, &bio::read);
            BIO_meth_set_write(m, &bio::write);
            BIO_meth_set_ctrl(m, &bio::control);
            return m; // for as long as the process lives
        }();
        return made;
    }
};

tls_stream::tls_stream(socket& under, tls_context_ptr context) : socket_(under)
{
    open(std::move(context));
    SSL_set_accept_state(ssl_);
}

tls_stream::tls_stream(socket under, tls_context_ptr context, const std::string& host)
    : own_(std::move(under)), socket_(own_)
{
    open(std::move(context));
    SSL_set_connect_state(ssl_);
    X509_VERIFY_PARAM* const wanted = SSL_get0_param(ssl_);
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    const std::string name =
        host.ends_with('.') ? host.substr(0, host.size() - 1) : host; // RFC 6066 section 3
    const bool is_set = is_address(name)
                            ? X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c_str()) == 1
                            : !name.empty() && // which would be any name
                                  X509_VERIFY_PARAM_set1_host(wanted, name.data(), name.size()) == 1 &&
                                  SSL_set_tlsext_host_name(ssl_, name.c_str()) == 1;
    if (!is_set) {
        SSL_free(std::exchange(ssl_, nullptr));
        throw tls_error("tls: not a host's name: " + host);
    }
}

tls_stream::~tls_stream()
{
    SSL_free(ssl_);
}

void tls_stream::open(tls_context_ptr context)
{
    context_ = std::move(context);
    ssl_ = SSL_new(context_->first.get());
    BIO* const b = ssl_ ? BIO_new(bio::method()) : nullptr;
    if (!b) {
        SSL_free(std::exchange(ssl_, nullptr));
        throw std::bad_alloc();
    }
    BIO_set_data(b, this);
    BIO_set_init(b, 1);
    SSL_set_bio(ssl_, b, b);
}

void tls_stream::handshake()
{
    for (progress p = try_handshake(); p != progress::done; p = try_handshake())
        wait_for(p);
}

tls_stream::progress tls_stream::try_handshake()
{
    if (is_ready_)
        return progress::done;
    ERR_clear_error();
    const progress p = outcome_of(SSL_do_handshake(ssl_), "hand-shake");
    is_ready_ = p == progress::done;
    return p;
}

void tls_stream::wait_for(progress what)
{
    if (what == progress::wants_read)
        socket_.wait_readable();
    else
        socket_.wait_writable();
}

std::size_t tls_stream::read_some(std::span<char> into)
{
    for (;;) {
        const std::ptrdiff_t count = try_read_some(into);
        if (count >= 0)
            return static_cast<std::size_t>(count);
        wait_for(lacks_);
    }
}

// A full buffer, or all that there is: whoever finds less than he had room for need not ask again before the
// socket has something new.
std::ptrdiff_t tls_stream::try_read_some(std::span<char> into)
{
    std::size_t taken = 0;
    has_news_ = false;
    may_have_more_ = true; // whatever OpenSSL has read ahead: this call has not seen the socket's end yet
    if (failure_)
        std::rethrow_exception(std::exchange(failure_, nullptr));
    do {
        ERR_clear_error();
        const int count = SSL_read(ssl_, into.data() + taken, clamped(into.size() - taken));
        if (count <= 0) {
            if (taken == 0)
                return nothing_read(count);
            note_what_follows(SSL_get_error(ssl_, count));
            return static_cast<std::ptrdiff_t>(taken);
        }
        taken += static_cast<std::size_t>(count);
    } while (taken < into.size() && (SSL_has_pending(ssl_) == 1 || may_have_more_));
    return static_cast<std::ptrdiff_t>(taken);
}

// Behind bytes that were taken. The next call says it.
void tls_stream::note_what_follows(int why)
{
    lacks_ = why == SSL_ERROR_WANT_WRITE ? progress::wants_write : progress::wants_read;
    if (!failure_ && why == SSL_ERROR_SSL)
        failure_ = std::make_exception_ptr(tls_error("tls receive: " + tls_reason()));
    has_news_ = failure_ || (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE);
}

bool tls_stream::has_part() const noexcept
{
    return SSL_has_pending(ssl_) == 1;
}

// The end is 0, and -1 is that nothing has come.
std::ptrdiff_t tls_stream::nothing_read(int result)
{
    if (SSL_get_error(ssl_, result) == SSL_ERROR_ZERO_RETURN)
        return 0;
    lacks_ = outcome_of(result, "receive");
    return -1;
}

void tls_stream::write(std::string_view all)
{
    for (;;) {
        all.remove_prefix(try_write_some(all));
        if (all.empty())
            return;
        socket_.wait_writable();
    }
}

std::size_t tls_stream::try_write_some(std::string_view bytes)
{
    std::size_t written = 0;
    while (written < bytes.size()) {
        ERR_clear_error();
        const int count = SSL_write(ssl_, bytes.data() + written, clamped(bytes.size() - written));
        if (count <= 0 && outcome_of(count, "send") != progress::done)
            break;
        written += static_cast<std::size_t>(count);
    }
    return written;
}

void tls_stream::shutdown_write() noexcept
{
    const bool was_said = (SSL_get_shutdown(ssl_) & SSL_SENT_SHUTDOWN) != 0;
    if (is_ready_ && !failure_ && !was_said) {
        ERR_clear_error();
        SSL_shutdown(ssl_);
        ERR_clear_error();
        failure_ = nullptr;
    }
    socket_.shutdown_write();
}

// Throws: what the socket has thrown; tls_error.
tls_stream::progress tls_stream::outcome_of(int result, const char* what)
{
    if (failure_)
        std::rethrow_exception(std::exchange(failure_, nullptr));
    if (result > 0)
        return progress::done;
    switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ:
        return progress::wants_read;
    case SSL_ERROR_WANT_WRITE:
        return progress::wants_write;
    default:
        fail(what);
    }
}

void tls_stream::fail(const char* what)
{
    std::string text = std::string("tls ") + what + ": ";
    const long verdict = SSL_get_verify_result(ssl_);
    const unsigned long cause = ERR_peek_error();
    const int reason = ERR_GET_LIB(cause) == ERR_LIB_SSL ? ERR_GET_REASON(cause) : 0;
    const bool is_plain_http = reason == SSL_R_HTTP_REQUEST;
    if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED && verdict != X509_V_OK)
        text += "the peer's certificate: " + std::string(X509_verify_cert_error_string(verdict));
    else if (cause == 0)
        text += "the peer has closed the connection";
    else
        text += tls_reason();
    ERR_clear_error();
    throw tls_error(text, is_plain_http);
}

std::unique_ptr<tls_stream> tls_connect(socket under, const tls_context_ptr& context, const std::string& host)
{
    auto made = std::make_unique<tls_stream>(std::move(under), context, host);
    made->handshake();
    return made;
}

} // namespace heddle::net
