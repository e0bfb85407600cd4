// Where the shipped server listens.
#include "listeners.hpp"

#include <heddle/base/error.hpp>

#define BOOST_TEST_MODULE listeners
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace http = heddle::http;
namespace net = heddle::net;

namespace {

// One word each: "clients 127.0.0.1:8080", "operations unix:/run/x", "clients #3".
std::vector<std::string> shown_of(const app::settings& with,
                                  const std::vector<net::inherited_socket>& inherited = {})
{
    std::vector<std::string> all;
    for (const auto& each : app::listeners_of(with, inherited).all)
        all.push_back(
            (each.kind == http::listener_kind::clients ? "clients " : "operations ") +
            (each.descriptor == -1 ? net::to_string(each.at) : '#' + std::to_string(each.descriptor)));
    return all;
}

using words = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_SUITE(the_listeners)

BOOST_AUTO_TEST_CASE(are_one_for_clients_without_settings)
{
    BOOST_TEST(shown_of({}) == words{"clients 127.0.0.1:8080"});
}

BOOST_AUTO_TEST_CASE(may_be_several_of_each_form)
{
    app::settings settings;
    settings.clients = {.address = "unix:/run/heddle.sock"};
    settings.also_listen = {"[::1]:81", "unix:@heddle"};
    settings.operations = {.address = "::1", .port = 82};

    BOOST_TEST(shown_of(settings) == (words{"clients unix:/run/heddle.sock", "clients [::1]:81",
                                            "clients unix:@heddle", "operations [::1]:82"}));
}

BOOST_AUTO_TEST_CASE(need_no_port_for_operations_at_a_path)
{
    app::settings settings;
    settings.operations = {.address = "unix:/run/operations.sock"};

    BOOST_TEST(shown_of(settings).back() == "operations unix:/run/operations.sock");
}

BOOST_AUTO_TEST_CASE(are_those_that_were_inherited_in_the_place_of_their_kind)
{
    app::settings settings;
    settings.operations = {.port = 82};

    BOOST_TEST(shown_of(settings, {{3, "heddle.socket"}, {4, ""}}) ==
               (words{"clients #3", "clients #4", "operations 127.0.0.1:82"}));
    BOOST_TEST(shown_of(settings, {{3, "operations"}}) == (words{"operations #3", "clients 127.0.0.1:8080"}));
}

BOOST_AUTO_TEST_CASE(are_refused_with_all_that_is_wrong_about_them)
{
    app::settings settings;
    settings.also_listen = {"81", "127.0.0.1:82", "unix:"};

    BOOST_CHECK_EXCEPTION(shown_of(settings), heddle::config_error, [](const auto& failure) {
        const std::string text = failure.what();
        return text.find("\"81\"") != std::string::npos && text.find("\"unix:\"") != std::string::npos &&
               text.find("82") == std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(have_the_mode_that_is_set)
{
    app::settings settings;
    settings.unix_mode = 0600;

    BOOST_TEST(app::listeners_of(settings, {}).all.front().unix_mode == 0600u);
}

BOOST_AUTO_TEST_SUITE_END()
