// What systemd says by variables, and that nobody hears it twice.
#include <heddle/base/error.hpp>
#include <heddle/net/inherited.hpp>
#include <heddle/net/service_manager.hpp>

#define BOOST_TEST_MODULE inherited
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace net = heddle::net;
using namespace std::chrono_literals;

namespace {

constexpr const char* names[] = {"LISTEN_PID",    "LISTEN_FDS",    "LISTEN_FDNAMES",
                                 "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"};

struct fixture
{
    fixture() { clear(); }
    ~fixture() { clear(); }

    static void clear()
    {
        for (const char* const name : names)
            ::unsetenv(name);
    }

    static void set(std::initializer_list<std::pair<const char*, std::string>> variables)
    {
        for (const auto& [name, value] : variables)
            ::setenv(name, value.c_str(), 1);
    }

    static bool is_clear()
    {
        for (const char* const name : names)
            if (std::getenv(name))
                return false;
        return true;
    }

    const std::string mine = std::to_string(::getpid());
    const std::string anothers = std::to_string(::getppid());
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(sockets_of_systemd, fixture)

BOOST_AUTO_TEST_CASE(are_none_where_nobody_speaks_of_any)
{
    BOOST_TEST(net::inherited_sockets().empty());
}

BOOST_AUTO_TEST_CASE(begin_at_descriptor_three_and_have_names)
{
    set({{"LISTEN_PID", mine}, {"LISTEN_FDS", "3"}, {"LISTEN_FDNAMES", "heddle.socket::operations"}});

    const auto sockets = net::inherited_sockets();

    BOOST_REQUIRE(sockets.size() == 3u);
    BOOST_TEST(sockets[0].descriptor == 3);
    BOOST_TEST(sockets[0].name == "heddle.socket");
    BOOST_TEST(sockets[1].name == "");
    BOOST_TEST(sockets[2].descriptor == 5);
    BOOST_TEST(sockets[2].name == "operations");
}

BOOST_AUTO_TEST_CASE(need_no_names)
{
    set({{"LISTEN_PID", mine}, {"LISTEN_FDS", "1"}});

    BOOST_TEST(net::inherited_sockets().size() == 1u);
}

BOOST_AUTO_TEST_CASE(are_taken_once)
{
    set({{"LISTEN_PID", mine}, {"LISTEN_FDS", "1"}, {"LISTEN_FDNAMES", "a"}});

    net::inherited_sockets();

    BOOST_TEST(is_clear());
    BOOST_TEST(net::inherited_sockets().empty());
}

BOOST_AUTO_TEST_CASE(of_another_process_are_not_ours)
{
    set({{"LISTEN_PID", anothers}, {"LISTEN_FDS", "1"}});

    BOOST_TEST(net::inherited_sockets().empty());
    BOOST_TEST(is_clear());
}

BOOST_DATA_TEST_CASE(must_be_a_number_of_descriptors,
                     boost::unit_test::data::make(std::vector<std::string>{"", "x", "-1", "1x", "99999"}))
{
    set({{"LISTEN_PID", mine}, {"LISTEN_FDS", sample}});

    BOOST_CHECK_THROW(net::inherited_sockets(), heddle::config_error);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(the_service_manager, fixture)

BOOST_AUTO_TEST_CASE(is_not_there_without_its_variable)
{
    BOOST_TEST(!net::service_manager::from_environment().listens());
}

BOOST_AUTO_TEST_CASE(says_how_often_it_wants_to_hear_from_this_process)
{
    set({{"NOTIFY_SOCKET", "@x"}, {"WATCHDOG_USEC", "3000000"}, {"WATCHDOG_PID", mine}});

    const auto manager = net::service_manager::from_environment();

    BOOST_TEST(manager.listens());
    BOOST_TEST((manager.watchdog() == 3s));
    BOOST_TEST(is_clear());
}

BOOST_AUTO_TEST_CASE(may_want_to_hear_from_another_process_only)
{
    set({{"NOTIFY_SOCKET", "@x"}, {"WATCHDOG_USEC", "3000000"}, {"WATCHDOG_PID", anothers}});

    BOOST_TEST((net::service_manager::from_environment().watchdog() == 0s));
}

BOOST_DATA_TEST_CASE(must_be_at_a_path, boost::unit_test::data::make(std::vector<std::string>{
                                            "run/notify", std::string(200, '/')}))
{
    set({{"NOTIFY_SOCKET", sample}});

    BOOST_CHECK_THROW(net::service_manager::from_environment(), heddle::config_error);
}

BOOST_AUTO_TEST_SUITE_END()
