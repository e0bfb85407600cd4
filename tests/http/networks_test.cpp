// Networks, who may come from where, and who it is that proxies speak for.
#include <heddle/base/error.hpp>
#include <heddle/http/forwarded.hpp>
#include <heddle/http/middleware.hpp>
#include <heddle/http/networks.hpp>

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace http = heddle::http;

namespace {

http::request from(std::string_view peer)
{
    http::request req(http::verb::get, "/");
    req.set_peer(peer);
    return req;
}

// "client scheme host" as the handler sees them.
std::string seen(const http::request& req, http::proxy_fields read = http::proxy_fields::x_forwarded)
{
    const http::networks ours{"10.0.0.0/8", "fd00::/8", "unix"};
    const http::handler app = http::chain({http::forwarded(ours, read)}, [](const http::request& r) {
        return std::string(r.client()) + " " + std::string(r.scheme()) + " " + std::string(r.host());
    });
    return std::string(app(req).body());
}

} // namespace

BOOST_AUTO_TEST_SUITE(networks)

BOOST_AUTO_TEST_CASE(have_the_addresses_with_their_prefix)
{
    const http::networks some{"10.0.0.0/8", "192.0.2.128/25", "192.0.2.7", "2001:db8::/32", "fe80::1"};

    for (const char* inside :
         {"10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3", "192.0.2.128", "192.0.2.7",
          "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "fe80::1", "fe80::1%eth0"})
        BOOST_TEST(some.contains(inside), inside);
    for (const char* outside :
         {"9.255.255.255", "11.0.0.0", "192.0.2.127", "192.0.2.8", "2001:db9::", "fe80::2", "", "10.0.0",
          "10.0.0.1x", "010.0.0.1", "10.0.0.1:80", "[fe80::1]", "0x0a.0.0.1"})
        BOOST_TEST(!some.contains(outside), outside);
}

BOOST_AUTO_TEST_CASE(of_one_family_have_none_of_the_other)
{
    BOOST_TEST(!http::networks{"::/0"}.contains("192.0.2.7"));
    BOOST_TEST(!http::networks{"0.0.0.0/0"}.contains("2001:db8::1"));
    BOOST_TEST(http::networks{"0.0.0.0/0"}.contains("255.255.255.255"));
    BOOST_TEST(http::networks{"::/0"}.contains("::1"));
    BOOST_TEST(http::networks{"::ffff:10.0.0.0/104"}.contains("10.1.2.3"));
    BOOST_TEST(!http::networks{}.contains("10.1.2.3"));
    BOOST_TEST(!http::networks{"0.0.0.0/0"}.contains("unix"));
    BOOST_TEST(http::networks{"unix"}.contains("unix"));
}

BOOST_AUTO_TEST_CASE(that_are_none_are_all_named)
{
    for (const char* wrong : {"", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.1/8", "10.0.0.0/-1",
                              "10.0.0.0/8x", "10.0.0.0/ 8", "localhost", "fe80::1%eth0", "::1/64"})
        BOOST_CHECK_THROW(http::networks({std::string_view(wrong)}), heddle::config_error);
    BOOST_CHECK_EXCEPTION(http::networks({"10.0.0.1/8", "::/0", "x"}), heddle::config_error,
                          [](const heddle::config_error& e) {
                              return std::string(e.what()).find("'10.0.0.1/8', 'x'") != std::string::npos;
                          });
}

BOOST_AUTO_TEST_CASE(let_in_and_keep_out)
{
    const auto answered = [](const http::middleware& around, std::string_view peer) {
        return static_cast<unsigned>(
            http::chain({around}, [](const http::request&) { return "in"; })(from(peer)).status());
    };
    const http::networks ours{"10.0.0.0/8", "2001:db8::/32"};

    for (const char* peer : {"10.1.2.3:80", "[2001:db8::1]:80", "[::ffff:10.1.2.3]:80"}) {
        BOOST_TEST(answered(http::allow(ours), peer) == 200u, peer);
        BOOST_TEST(answered(http::deny(ours), peer) == 403u, peer);
    }
    for (const char* peer : {"11.1.2.3:80", "[2001:db9::1]:80", ""}) {
        BOOST_TEST(answered(http::allow(ours), peer) == 403u, peer);
        BOOST_TEST(answered(http::deny(ours), peer) == 200u, peer);
    }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(forwarded)

BOOST_AUTO_TEST_CASE(is_who_came_to_the_outermost_trusted_proxy)
{
    struct row
    {
        const char* peer;
        const char* list;
        const char* client;
    };
    const row rows[] = {
        {"10.0.0.1:1", "192.0.2.7", "192.0.2.7"},
        {"10.0.0.1:1", "1.1.1.1, 192.0.2.7", "192.0.2.7"}, // what it sent itself is not believed
        {"10.0.0.1:1", "192.0.2.7, 10.0.0.2", "192.0.2.7"},
        {"10.0.0.1:1", "192.0.2.7 ,10.0.0.2,\tfd00::2", "192.0.2.7"},
        {"[fd00::1]:1", "2001:db8::1", "2001:db8::1"},
        {"10.0.0.1:1", "[2001:db8::1]:4711", "2001:db8::1"},
        {"10.0.0.1:1", "192.0.2.7:4711", "192.0.2.7"},
        {"[::ffff:10.0.0.1]:1", "192.0.2.7", "192.0.2.7"},
        {"10.0.0.1:1", "10.0.0.3, 10.0.0.2", "10.0.0.3"}, // all are ours
        {"10.0.0.1:1", "", "10.0.0.1"},
        {"10.0.0.1:1", "192.0.2.7, unknown", "10.0.0.1"},
        {"10.0.0.1:1", "192.0.2.7, , 10.0.0.2", "10.0.0.2"},
        {"10.0.0.1:1", "192.0.2.7, x, 10.0.0.2", "10.0.0.2"},
        {"192.0.2.1:1", "10.0.0.9", "192.0.2.1"}, // not ours: whatever it says
        {"10.0.0.1:1", "fe80::1%\x1b[0m", "10.0.0.1"},
        {"unix", "192.0.2.7", "192.0.2.7"},
        {"", "192.0.2.7", ""},
    };
    for (const row& r : rows)
        BOOST_TEST(seen(from(r.peer).with_header("X-Forwarded-For", r.list)) ==
                       std::string(r.client) + " http ",
                   r.peer << ": " << r.list);
}

BOOST_AUTO_TEST_CASE(has_scheme_and_host_that_the_client_came_to)
{
    const auto says = [](const char* clients, const char* scheme, const char* host) {
        return seen(from("10.0.0.1:1")
                        .with_header("Host", "inner")
                        .with_header("X-Forwarded-For", clients)
                        .with_header("X-Forwarded-Proto", scheme)
                        .with_header("X-Forwarded-Host", host));
    };

    BOOST_TEST(says("192.0.2.7", "https", "a.example:8443") == "192.0.2.7 https a.example:8443");
    BOOST_TEST(says("192.0.2.7, 10.0.0.2", "HTTPS, http", "a.example, inner") == "192.0.2.7 https a.example");
    BOOST_TEST(says("1.1.1.1, 192.0.2.7", "https, http", "evil, a.example") == "192.0.2.7 http a.example");
    BOOST_TEST(says("192.0.2.7, 10.0.0.2", "https", "a.example") == "192.0.2.7 https a.example");
    BOOST_TEST(says("192.0.2.7", "javascript", "a b") == "192.0.2.7 http inner");
    BOOST_TEST(says("192.0.2.7", "", "a/b") == "192.0.2.7 http inner");
    BOOST_TEST(seen(from("10.0.0.1:1").with_header("X-Forwarded-Proto", "https")) == "10.0.0.1 https ");
    BOOST_TEST(seen(from("192.0.2.1:1").with_header("X-Forwarded-Proto", "https")) == "192.0.2.1 http ");
}

// RFC 7239 sections 4 and 6
BOOST_AUTO_TEST_CASE(is_read_from_the_standard_field_if_that_is_what_proxies_set)
{
    const auto says = [](const char* value) {
        return seen(
            from("10.0.0.1:1").with_header("Forwarded", value).with_header("X-Forwarded-For", "6.6.6.6"),
            http::proxy_fields::forwarded);
    };

    BOOST_TEST(says("for=192.0.2.7") == "192.0.2.7 http ");
    BOOST_TEST(says("For=\"[2001:db8:cafe::17]:4711\"; proto=https;by=203.0.113.43;host=\"a.example:1\"") ==
               "2001:db8:cafe::17 https a.example:1");
    BOOST_TEST(says("for=1.1.1.1;proto=https, for=192.0.2.7;proto=http, for=10.0.0.2") == "192.0.2.7 http ");
    BOOST_TEST(says("for=192.0.2.7, for=unknown") == "10.0.0.1 http ");
    BOOST_TEST(says("for=192.0.2.7, for=_secret, for=10.0.0.2") == "10.0.0.2 http ");
    // A quote that has no end is the client's, and takes nothing away of what proxies have added.
    BOOST_TEST(says("for=\"192.0.2.7, for=10.0.0.2") == "10.0.0.2 http ");
    BOOST_TEST(says("for=\"x, for=192.0.2.7, for=10.0.0.2") == "192.0.2.7 http ");
    BOOST_TEST(seen(from("10.0.0.1:1").with_header("X-Forwarded-For", "\", 192.0.2.7")) == "192.0.2.7 http ");
    BOOST_TEST(says("for=\"192.\\0.2.7\"") == "192.0.2.7 http ");
    BOOST_TEST(says("nonsense") == "10.0.0.1 http ");
}

BOOST_AUTO_TEST_CASE(is_not_read_from_the_field_that_proxies_do_not_set)
{
    BOOST_TEST(seen(from("10.0.0.1:1").with_header("Forwarded", "for=192.0.2.7")) == "10.0.0.1 http ");
}

BOOST_AUTO_TEST_CASE(comes_in_one_line_or_several)
{
    BOOST_TEST(seen(from("10.0.0.1:1")
                        .with_header("X-Forwarded-For", "192.0.2.7")
                        .with_header("X-Forwarded-For", "10.0.0.2")) == "192.0.2.7 http ");
}

BOOST_AUTO_TEST_CASE(is_forgotten_with_the_request)
{
    http::request req = from("10.0.0.1:1")
                            .with_header("X-Forwarded-For", "192.0.2.7")
                            .with_header("X-Forwarded-Proto", "https");
    seen(req);
    req.clear();

    BOOST_TEST(req.client() == "");
    BOOST_TEST(req.scheme() == "http");
}

BOOST_AUTO_TEST_SUITE_END()
