// Real sockets and signals under real workers.
#include <heddle/base/error.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/fiber/task_group.hpp>
#include <heddle/net/error.hpp>
#include <heddle/net/listener.hpp>
#include <heddle/net/signals.hpp>
#include <heddle/net/socket.hpp>

#define BOOST_TEST_MODULE net
#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <string>

#include <csignal>
#include <unistd.h>

namespace fiber = heddle::fiber;
namespace net = heddle::net;
using namespace std::chrono_literals;

namespace {

std::string read_all(net::socket& from)
{
    std::string all;
    std::array<char, 4096> piece;
    while (const std::size_t count = from.read_some(piece))
        all.append(piece.data(), count);
    return all;
}

// Runs `body` on a fiber of a runtime with two workers.
template <class F>
void inside(F&& body)
{
    fiber::run({.workers = 2}, body);
}

template <class F>
bool breaks(F&& f)
{
    try {
        f();
    } catch (const net::broken&) {
        return true;
    }
    return false;
}

} // namespace

BOOST_AUTO_TEST_SUITE(sockets)

BOOST_AUTO_TEST_CASE(carry_more_than_the_kernel_buffers)
{
    const std::string sent(20'000'000, 'x');
    std::string received;

    inside([&] {
        net::listener listener({.host = "127.0.0.1"});
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] {
                net::socket client = net::connect({.host = "127.0.0.1", .port = listener.port()});
                client.write(sent);
                client.shutdown_write();
                read_all(client);
            });
            net::socket accepted = *listener.accept();
            received = read_all(accepted);
        });
    });

    BOOST_TEST((received == sent));
}

BOOST_AUTO_TEST_CASE(say_when_nobody_listens)
{
    bool is_broken = false;

    inside([&] {
        std::uint16_t port = 0;
        {
            net::listener listener({.host = "127.0.0.1"});
            port = listener.port();
        }
        is_broken = breaks([&] { net::connect({.host = "127.0.0.1", .port = port}); });
    });

    BOOST_TEST(is_broken);
}

BOOST_AUTO_TEST_CASE(find_a_name)
{
    bool is_broken = false;
    std::string received;

    inside([&] {
        net::listener listener({.host = "127.0.0.1"});
        net::socket client = net::connect({.host = "localhost", .port = listener.port()});
        client.write("x");
        client.shutdown_write();
        net::socket accepted = *listener.accept();
        received = read_all(accepted);
        is_broken = breaks([&] { net::connect({.host = "no-such-host.invalid", .port = 80}); });
    });

    BOOST_TEST(received == "x");
    BOOST_TEST(is_broken);
}

// Once connected it must not look as if its peer had gone: then nothing would park on it any more.
BOOST_AUTO_TEST_CASE(are_not_taken_for_reset_when_they_have_connected)
{
    bool was_reset = true;

    inside([&] {
        net::listener listener({.host = "127.0.0.1"});
        net::socket client = net::connect({.host = "127.0.0.1", .port = listener.port()});
        was_reset = client.was_reset();
    });

    BOOST_TEST(!was_reset);
}

BOOST_AUTO_TEST_CASE(a_read_ends_with_its_scope)
{
    bool is_late = false;

    inside([&] {
        net::listener listener({.host = "127.0.0.1"});
        net::socket client = net::connect({.host = "127.0.0.1", .port = listener.port()});
        try {
            fiber::within(20ms, [&] { read_all(client); });
        } catch (const heddle::deadline_exceeded&) {
            is_late = true;
        }
    });

    BOOST_TEST(is_late);
}

BOOST_AUTO_TEST_CASE(a_write_to_who_does_not_read_is_given_up)
{
    bool is_broken = false;

    inside([&] {
        net::listener listener({.host = "127.0.0.1"});
        net::socket client = net::connect({.host = "127.0.0.1", .port = listener.port()});
        net::socket accepted = *listener.accept();
        client.set_write_stall(50ms);
        is_broken = breaks([&] { client.write(std::string(50'000'000, 'x')); });
    });

    BOOST_TEST(is_broken);
}

BOOST_AUTO_TEST_CASE(a_reset_cancels_the_scope_that_is_named)
{
    bool is_cancelled = false;

    inside([&] {
        net::listener listener({.host = "127.0.0.1"});
        net::socket client = net::connect({.host = "127.0.0.1", .port = listener.port()});
        net::socket accepted = *listener.accept();
        fiber::scope request{{.deadline = fiber::after(5s)}};
        accepted.cancel_on_reset(&request);
        client.close_with_reset();
        try {
            fiber::sleep_for(5s);
        } catch (const heddle::cancelled&) {
            is_cancelled = true;
        }
        accepted.cancel_on_reset(nullptr);
    });

    BOOST_TEST(is_cancelled);
}

BOOST_AUTO_TEST_CASE(many_connections_at_once_are_all_accepted)
{
    constexpr int wanted = 500;
    std::atomic<int> answered = 0;

    inside([&] {
        net::listener listener({.host = "127.0.0.1"});
        fiber::task_group::run([&](fiber::task_group& tasks) {
            for (int i = 0; i < wanted; ++i)
                tasks.start([&] {
                    net::socket client = net::connect({.host = "127.0.0.1", .port = listener.port()});
                    client.write("x");
                    client.shutdown_write();
                    answered += read_all(client) == "x";
                });
            for (int i = 0; i < wanted; ++i)
                tasks.start(
                    [accepted = *listener.accept()]() mutable { accepted.write(read_all(accepted)); });
        });
    });

    BOOST_TEST(answered == wanted);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(listeners)

BOOST_AUTO_TEST_CASE(end_with_their_scope_and_give_what_waits)
{
    bool nothing = false;
    bool waiting = false;

    inside([&] {
        net::listener listener({.host = "127.0.0.1"});
        nothing = fiber::within(20ms, [&] { return !listener.accept(); });
        net::socket client = net::connect({.host = "127.0.0.1", .port = listener.port()});
        waiting = listener.try_accept().has_value();
    });

    BOOST_TEST(nothing);
    BOOST_TEST(waiting);
}

BOOST_AUTO_TEST_CASE(name_the_address_that_is_taken)
{
    std::string message;

    inside([&] {
        net::listener first({.host = "127.0.0.1"});
        try {
            net::listener second({.host = "127.0.0.1", .port = first.port()});
        } catch (const heddle::config_error& e) {
            message = e.what();
        }
    });

    BOOST_TEST(message.find("127.0.0.1:") != std::string::npos, message);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(signals)

BOOST_AUTO_TEST_CASE(are_given_to_a_fiber_and_put_back)
{
    int first = 0;
    int second = 0;
    struct sigaction before
    {
    };
    struct sigaction after
    {
    };
    ::sigaction(SIGUSR2, nullptr, &before);

    inside([&] {
        net::signals caught({SIGUSR2});
        ::kill(::getpid(), SIGUSR2);
        first = caught.wait();
        caught.raise(SIGTERM);
        second = caught.wait();
    });
    ::sigaction(SIGUSR2, nullptr, &after);

    BOOST_TEST(first == SIGUSR2);
    BOOST_TEST(second == SIGTERM);
    BOOST_TEST((before.sa_handler == after.sa_handler));
}

BOOST_AUTO_TEST_SUITE_END()
