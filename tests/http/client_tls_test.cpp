// The client over TLS, from and to real sockets: whom it believes, and which ends it takes for one.
#include "../net/certificates.hpp"

#include <heddle/base/error.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/task_group.hpp>
#include <heddle/http/client.hpp>
#include <heddle/net/listener.hpp>
#include <heddle/net/tls_stream.hpp>

#define BOOST_TEST_MODULE client_tls
#include <boost/test/unit_test.hpp>

#include <array>
#include <string>

namespace fiber = heddle::fiber;
namespace http = heddle::http;
namespace net = heddle::net;
using namespace std::chrono_literals;
using heddle::kind;

namespace {

struct tls_fixture
{
    certificates issuer;
    net::tls_certificate shown = issuer.issue("localhost", "DNS:localhost");
    std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    bool says_good_bye = true; // at the end of a connection, which is after one answer without a length
    http::client_options options{.connect_budget = 20s,
                                 .tls = net::make_tls_context({.authorities = issuer.authority()})};

    void serve(net::socket socket, const net::tls_context_ptr& context) const
    {
        try {
            net::tls_stream stream(socket, context);
            stream.handshake();
            std::array<char, 4096> request; // comes in one piece: it was written as one
            while (stream.read_some(request) > 0) {
                stream.write(answer);
                if (answer.find("Content-Length") == std::string::npos)
                    break;
            }
            if (says_good_bye)
                stream.shutdown_write();
        } catch (const net::broken&) { // the client did not believe it
        }
    }

    // Asks the upstream, which takes one connection. Returns the last body, or "failed: " and why.
    std::string ask(int times = 1)
    {
        std::string outcome;
        fiber::run({.workers = 2}, [&] {
            net::listener listener({.host = "127.0.0.1", .port = 0});
            const auto context = net::make_tls_context(net::tls_server_options{.certificates = {shown}});
            options.origin = "https://localhost:" + std::to_string(listener.port());
            fiber::task_group::run([&](fiber::task_group& tasks) {
                tasks.start([&] { serve(*listener.accept(), context); });
                outcome = ask_here(times);
            });
        });
        return outcome;
    }

private:
    std::string ask_here(int times) const
    {
        http::client client(options);
        std::string body;
        try {
            for (int i = 0; i < times; ++i)
                body = client(http::get("/")).body();
        } catch (const heddle::error& e) {
            return std::string(e.kind() == kind::upstream ? "failed: " : "odd: ") + e.what();
        }
        return body;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(a_client_over_tls, tls_fixture)

BOOST_AUTO_TEST_CASE(asks_more_than_once_on_a_connection)
{
    BOOST_TEST(ask(3) == "ok");
}

BOOST_AUTO_TEST_CASE(believes_only_whom_it_trusts)
{
    options.retries = 0;
    options.tls = {}; // the system, which does not know this authority

    const std::string outcome = ask();

    BOOST_TEST(outcome.starts_with("failed: "), outcome);
    BOOST_TEST(outcome.find("certificate") != std::string::npos, outcome);
}

BOOST_AUTO_TEST_CASE(does_not_believe_another_host)
{
    options.retries = 0;
    shown = issuer.issue("other.test", "DNS:other.test");

    const std::string outcome = ask();

    BOOST_TEST(outcome.starts_with("failed: "), outcome);
}

BOOST_AUTO_TEST_CASE(takes_an_answer_without_a_length_for_whole_if_its_end_was_said)
{
    options.retries = 0;
    answer = "HTTP/1.1 200 OK\r\n\r\nall of it";

    BOOST_TEST(ask() == "all of it");
}

BOOST_AUTO_TEST_CASE(does_not_take_one_for_whole_that_somebody_cut)
{
    options.retries = 0;
    answer = "HTTP/1.1 200 OK\r\n\r\nall of it";
    says_good_bye = false;

    const std::string outcome = ask();

    BOOST_TEST(outcome.starts_with("failed: "), outcome);
}

BOOST_AUTO_TEST_SUITE_END()
