// Unix-domain sockets and sockets of others under real workers.
#include <heddle/base/error.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/net/error.hpp>
#include <heddle/net/listener.hpp>
#include <heddle/net/socket.hpp>
#include <heddle/testing/temporary_directory.hpp>

#include <boost/test/unit_test.hpp>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace fiber = heddle::fiber;
namespace net = heddle::net;

namespace {

struct fixture
{
    heddle::testing::temporary_directory directory;
    net::endpoint at{.path = directory.path("socket")};

    template <class F>
    void inside(F&& body)
    {
        fiber::run({.workers = 2}, body);
    }

    // What a client gets through to `listener`; empty if it is refused.
    std::string said_to(net::listener& listener)
    {
        try {
            net::socket client = net::connect(listener.at());
            client.write("x");
            client.shutdown_write();
            net::socket accepted = listener.accept().value();
            std::array<char, 16> bytes;
            return {bytes.data(), accepted.read_some(bytes)};
        } catch (const net::broken&) {
            return {};
        }
    }

    std::string refusal()
    {
        try {
            net::listener second(at);
        } catch (const heddle::config_error& failure) {
            return failure.what();
        }
        return {};
    }

    // As a process does that is killed.
    void leave_a_file_behind()
    {
        sockaddr_un to{};
        to.sun_family = AF_UNIX;
        at.path.copy(to.sun_path, sizeof to.sun_path - 1);
        const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        BOOST_REQUIRE(::bind(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
        BOOST_REQUIRE(::listen(fd, 1) == 0);
        ::close(fd);
    }

    bool is_there() const { return std::filesystem::exists(std::filesystem::symlink_status(at.path)); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(unix_listeners, fixture)

BOOST_AUTO_TEST_CASE(carry_bytes_and_leave_no_file)
{
    std::string said;
    mode_t mode = 0;

    inside([&] {
        net::listener listener(at, {.unix_mode = 0600});
        said = said_to(listener);
        struct stat file
        {
        };
        ::stat(at.path.c_str(), &file);
        mode = file.st_mode & 0777;
    });

    BOOST_TEST(said == "x");
    BOOST_TEST(mode == 0600u);
    BOOST_TEST(!is_there());
}

BOOST_AUTO_TEST_CASE(may_have_a_name_without_a_file)
{
    const net::endpoint abstract{.path = '@' + at.path};
    std::string said;

    inside([&] {
        net::listener listener(abstract);
        BOOST_TEST((listener.at() == abstract));
        said = said_to(listener);
    });

    BOOST_TEST(said == "x");
}

BOOST_AUTO_TEST_CASE(name_their_clients_unix)
{
    std::string peer;

    inside([&] {
        net::listener listener(at);
        const net::socket client = net::connect(at);
        peer = listener.accept().value().peer();
    });

    BOOST_TEST(peer == "unix");
}

BOOST_AUTO_TEST_CASE(take_the_place_of_one_that_died)
{
    leave_a_file_behind();
    std::string said;

    inside([&] {
        net::listener listener(at);
        said = said_to(listener);
    });

    BOOST_TEST(said == "x");
}

BOOST_AUTO_TEST_CASE(do_not_take_the_place_of_one_that_lives)
{
    std::string refused;
    std::string said;

    inside([&] {
        net::listener first(at);
        refused = refusal();
        first.try_accept(); // who looked whether it lives
        said = said_to(first);
    });

    BOOST_TEST(refused.find(at.path) != std::string::npos, refused);
    BOOST_TEST(said == "x");
}

BOOST_AUTO_TEST_CASE(do_not_take_the_place_of_a_file)
{
    std::ofstream(at.path) << "precious";
    std::string refused;

    inside([&] { refused = refusal(); });

    BOOST_TEST(!refused.empty());
    BOOST_TEST(std::filesystem::file_size(at.path) == 8u);
}

BOOST_AUTO_TEST_CASE(leave_a_file_that_is_not_theirs_any_more)
{
    inside([&] {
        net::listener listener(at);
        std::filesystem::remove(at.path);
        std::ofstream(at.path) << "another's";
    });

    BOOST_TEST(is_there());
}

BOOST_AUTO_TEST_CASE(need_a_path_that_fits)
{
    at.path.append(200, 'x');
    std::string refused;
    bool is_broken = false;

    inside([&] {
        refused = refusal();
        try {
            net::connect(at);
        } catch (const net::broken&) {
            is_broken = true;
        }
    });

    BOOST_TEST(refused.find("too long") != std::string::npos, refused);
    BOOST_TEST(is_broken);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(inherited_listeners, fixture)

// Two descriptors of one socket stand for two processes.
BOOST_AUTO_TEST_CASE(leave_the_socket_and_what_waits_there_to_others)
{
    std::string said;
    net::endpoint inherited_at;

    inside([&] {
        const int shared = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in any{};
        any.sin_family = AF_INET;
        any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        ::bind(shared, reinterpret_cast<const sockaddr*>(&any), sizeof any);
        ::listen(shared, 16);
        net::listener second(::fcntl(shared, F_DUPFD_CLOEXEC, 0));
        net::socket client;
        {
            const net::listener former(shared);
            inherited_at = former.at();
            client = net::connect(former.at());
            client.write("x");
        }
        net::socket accepted = second.accept().value();
        std::array<char, 16> bytes;
        said.assign(bytes.data(), accepted.read_some(bytes));
    });

    BOOST_TEST(said == "x");
    BOOST_TEST(inherited_at.host == "127.0.0.1");
    BOOST_TEST(inherited_at.port != 0);
}

BOOST_AUTO_TEST_CASE(must_listen)
{
    std::string refused;

    inside([&] {
        const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        try {
            net::listener none(fd);
        } catch (const heddle::config_error& failure) {
            refused = failure.what();
        }
        ::close(fd); // it is ours still
    });

    BOOST_TEST(refused.find("descriptor") != std::string::npos, refused);
}

BOOST_AUTO_TEST_SUITE_END()
