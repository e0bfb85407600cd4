// TLS between two fibers, over real sockets.
#include "meeting.hpp"

#include <heddle/base/error.hpp>

#define BOOST_TEST_MODULE tls
#include <boost/test/unit_test.hpp>

#include <array>
#include <functional>
#include <string>

using clients = net::tls_server_options::clients;

namespace {

bool has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

std::string config_fault(const std::function<void()>& f)
{
    try {
        f();
    } catch (const heddle::config_error& e) {
        return e.what();
    }
    return {};
}

} // namespace

BOOST_AUTO_TEST_SUITE(streams)

BOOST_AUTO_TEST_CASE(carry_bytes_both_ways)
{
    const std::string large(3'000'000, 'x');
    std::string asked, answered, version;

    meeting{}.hold(
        [&](net::tls_stream& s) {
            s.write("hello");
            asked = meeting::read_all(s);
            s.write(large);
        },
        [&](net::tls_stream& s) {
            version = s.version();
            s.write(large);
            s.shutdown_write();
            answered = meeting::read_all(s);
        });

    BOOST_TEST((asked == large));
    BOOST_TEST((answered == "hello" + large));
    BOOST_TEST(version == "TLSv1.3");
}

BOOST_AUTO_TEST_CASE(give_what_is_there_and_do_not_wait)
{
    meeting{}.hold(
        [&](net::tls_stream& s) {
            std::array<char, 10> piece;
            BOOST_TEST(s.try_read_some(piece) == -1);
            s.write("go");
            BOOST_TEST(s.read_some(piece) == 2u);
        },
        [&](net::tls_stream& s) {
            std::array<char, 10> piece;
            BOOST_TEST(s.read_some(piece) == 2u);
            s.write("on");
            meeting::read_all(s);
        });
}

// What lies decrypted in OpenSSL is not announced by the socket any more.
BOOST_AUTO_TEST_CASE(leave_nothing_behind_that_had_room)
{
    std::ptrdiff_t first = 0;
    std::ptrdiff_t second = 0;
    meeting{}.hold(
        [&](net::tls_stream& s) {
            std::array<char, 1> go;
            s.read_some(go);
            std::string room(100'000, '\0');
            fiber::sleep_for(100ms);
            first = s.try_read_some(room);
            second = s.try_read_some(room);
            s.write("!");
        },
        [&](net::tls_stream& s) {
            s.write("g");
            for (int i = 0; i != 20; ++i)
                s.write(std::string(100, 'x')); // a record each
            std::array<char, 1> end;
            s.read_some(end);
        });

    BOOST_TEST(first == 2000);
    BOOST_TEST(second == -1);
}

// Somebody else may have cut the connection: a client must not take that for the end.
BOOST_AUTO_TEST_CASE(tell_an_end_from_a_cut)
{
    const auto cut = [](net::tls_stream& s) { s.under().shutdown_write(); };
    std::string client_saw, server_saw;

    BOOST_CHECK_THROW(meeting{}.hold(cut, [](net::tls_stream& s) { meeting::read_all(s); }), net::broken);
    meeting{}.hold([&](net::tls_stream& s) { server_saw = meeting::read_all(s); },
                   [&](net::tls_stream& s) {
                       s.write("all");
                       cut(s);
                   });
    meeting{}.hold([](net::tls_stream& s) { s.write("all"); },
                   [&](net::tls_stream& s) { client_saw = meeting::read_all(s); });

    BOOST_TEST(server_saw == "all");
    BOOST_TEST(client_saw == "all");
}

BOOST_AUTO_TEST_CASE(end_with_the_deadline)
{
    fiber::run({.workers = 1}, [] {
        net::listener listener({.host = "127.0.0.1", .port = 0});
        const auto silent = net::connect({.host = "127.0.0.1", .port = listener.port()});
        auto socket = listener.accept();
        net::tls_stream stream(*socket, server_context());

        BOOST_CHECK_THROW(fiber::within(50ms, [&] { stream.handshake(); }), heddle::deadline_exceeded);
    });
}

BOOST_AUTO_TEST_CASE(say_what_is_no_tls)
{
    fiber::run({.workers = 1}, [] {
        net::listener listener({.host = "127.0.0.1", .port = 0});
        auto plain = net::connect({.host = "127.0.0.1", .port = listener.port()});
        plain.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        auto socket = listener.accept();
        net::tls_stream stream(*socket, server_context());

        BOOST_CHECK_EXCEPTION(stream.handshake(), net::tls_error,
                              [](const net::tls_error& e) { return has(e.what(), "http request"); });
    });
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(trust)

BOOST_AUTO_TEST_CASE(is_in_the_authority_and_the_name)
{
    const certificates stranger;
    const auto old = issuer().issue("old.test", "DNS:old.test", -1);
    const auto expired = server_context({.certificates = {old}});
    const auto doubting = net::make_tls_context(net::tls_client_options{.authorities = stranger.authority()});
    const auto careless = net::make_tls_context(net::tls_client_options{.verify = false});
    const meeting expired_one{.server = expired, .host = "old.test"};
    const meeting doubting_one{.client = doubting};
    const meeting careless_one{.server = expired, .client = careless, .host = "x"};
    const auto why_not_as = [](const std::string& host) { return meeting{.host = host}.why_not(); };

    BOOST_TEST(why_not_as("a.test") == "");
    BOOST_TEST(why_not_as("x.a.test") == "");
    BOOST_TEST(why_not_as("127.0.0.1") == "");
    BOOST_TEST(has(why_not_as("c.test"), "hostname mismatch"));
    BOOST_TEST(has(why_not_as("x.x.a.test"), "hostname mismatch"));
    BOOST_TEST(has(why_not_as("127.0.0.2"), "IP address mismatch"));
    BOOST_TEST(has(expired_one.why_not(), "certificate has expired"));
    BOOST_TEST(has(doubting_one.why_not(), "unable to get local issuer certificate"));
    BOOST_TEST(careless_one.why_not() == "");
    BOOST_TEST(why_not_as("a.test.") == "");
    BOOST_TEST(has(why_not_as(""), "not a host's name")); // and not: any name
}

BOOST_AUTO_TEST_CASE(is_mutual_where_it_is_asked_for)
{
    certificates staff("staff");
    const auto ada = staff.issue("ada", "DNS:ada");
    const auto subject_seen = [&](clients asked, const net::tls_client_options& shown, std::string& seen) {
        const meeting m{
            .server = server_context({.client_certificates = asked, .client_authorities = staff.authority()}),
            .client = client_context(shown)};
        try {
            m.hold([&](net::tls_stream& s) { seen = s.peer_subject(); },
                   [](net::tls_stream& s) { meeting::read_all(s); });
        } catch (const net::broken&) {
        }
        return !m.server_failure;
    };
    std::string nobody, anonymous, named, stranger;

    BOOST_TEST(!subject_seen(clients::must_have, {}, nobody));
    BOOST_TEST(subject_seen(clients::may_have, {}, anonymous));
    BOOST_TEST(subject_seen(clients::must_have, {.certificate = ada}, named));
    BOOST_TEST(!subject_seen(clients::may_have, {.certificate = a_test()}, stranger));
    BOOST_TEST(anonymous == "");
    BOOST_TEST(named == "CN=ada");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(hand_shakes)

BOOST_AUTO_TEST_CASE(show_the_certificate_of_the_name)
{
    const auto shown_to = [](const std::string& host) {
        std::string subject;
        meeting{.client = net::make_tls_context(net::tls_client_options{.verify = false}), .host = host}.hold(
            [](net::tls_stream&) {}, [&](net::tls_stream& s) { subject = s.peer_subject(); });
        return subject;
    };

    BOOST_TEST(shown_to("b.test") == "CN=b.test");
    BOOST_TEST(shown_to("x.a.test") == "CN=a.test");
    BOOST_TEST(shown_to("unknown.test") == "CN=a.test");
    BOOST_TEST(shown_to("127.0.0.1") == "CN=a.test"); // no name at all
}

BOOST_AUTO_TEST_CASE(agree_on_a_protocol)
{
    const auto agreed = [](std::vector<std::string> wanted) {
        std::string chosen;
        meeting{.client = client_context({.protocols = std::move(wanted)})}.hold(
            [&](net::tls_stream& s) { chosen = s.protocol(); },
            [](net::tls_stream& s) { meeting::read_all(s); });
        return chosen;
    };

    const std::string second = agreed({"h2", "http/1.1"});
    BOOST_TEST(second == "http/1.1");
    BOOST_CHECK_THROW(agreed({"h2"}), net::tls_error);
    BOOST_TEST(agreed({}) == "");
}

// That older ones are refused is shown with a client that has them: tests/system/app_tls_test.py.
BOOST_AUTO_TEST_CASE(go_well_where_only_the_newest_is_spoken)
{
    const meeting m{.server = server_context({.minimum = net::tls_version::v1_3})};

    BOOST_TEST(m.why_not() == "");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(files)

BOOST_AUTO_TEST_CASE(that_are_wrong_are_named)
{
    const auto fault = [](const net::tls_certificate& files) {
        return config_fault([&] { server_context({.certificates = {files}}); });
    };

    BOOST_TEST(has(config_fault([] { net::make_tls_context(net::tls_server_options()); }), "no certificate"));
    BOOST_TEST(has(fault({"/no/such.pem", a_test().key}), "/no/such.pem"));
    BOOST_TEST(has(fault({a_test().chain, "/no/such.key"}), "/no/such.key"));
    BOOST_TEST(has(fault({a_test().chain, b_test().key}), "mismatch"));
    BOOST_TEST(has(fault({a_test().key, a_test().key}), "no start line"));
    const auto authorities = config_fault([] { client_context({}, "/no/ca.pem"); });
    BOOST_TEST(has(authorities, "/no/ca.pem"));
}

BOOST_AUTO_TEST_SUITE_END()
