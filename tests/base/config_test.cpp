// What a configuration accepts, what wins, and what it says about everything else.
#include <heddle/base/config.hpp>
#include <heddle/base/error.hpp>

#include "base/config_value.hpp"

#define BOOST_TEST_MODULE config
#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>
#include <vector>

using namespace std::chrono_literals;
namespace config_value = heddle::config_value;

namespace {

struct fixture
{
    std::string address = "127.0.0.1";
    std::uint16_t port = 8080;
    bool access = true;
    enum class format
    {
        text,
        json
    } format = format::text;
    std::size_t body = 1 << 20;
    std::chrono::milliseconds budget = 2s;
    int running = 6;
    std::vector<std::string> proxies = {"one"};
    heddle::configuration keys;

    fixture()
    {
        keys.section("http", "The listener.");
        keys.text("address", address, "Where to listen.");
        keys.integer("port", port, {0, 65535}, "0: any free port.");
        keys.bytes("max_body", body, {1, 1 << 30}, "Larger bodies are 413.");
        keys.duration("request_budget", budget, {1ms, 1h}, "From head to answer.");
        keys.section("log", "");
        keys.boolean("access", access, "");
        keys.choice<enum format>("format", format, {{"text", format::text}, {"json", format::json}}, "");
        keys.section("trust", "");
        keys.list("proxies", proxies, "");
        keys.section("lane.read", "");
        keys.integer("running", running, {1, 1000}, "");
    }

    std::string faults() const
    {
        try {
            keys.check();
        } catch (const heddle::config_error& failure) {
            return failure.what();
        }
        return "";
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(values)

BOOST_AUTO_TEST_CASE(durations_are_whole_numbers_with_a_unit)
{
    BOOST_TEST((config_value::parse_duration("250us") == 250us));
    BOOST_TEST((config_value::parse_duration("50ms") == 50ms));
    BOOST_TEST((config_value::parse_duration("2s") == 2s));
    BOOST_TEST((config_value::parse_duration("5min") == 5min));
    BOOST_TEST((config_value::parse_duration("1h") == 1h));
    for (const auto* wrong : {"", "5", "ms", "5 ms", "-5ms", "5m", "1.5s", "5msx", "99999999999999h", "+5ms"})
        BOOST_TEST(!config_value::parse_duration(wrong).has_value(), wrong);
}

BOOST_AUTO_TEST_CASE(sizes_may_have_a_unit)
{
    BOOST_TEST(config_value::parse_bytes("4096").value() == 4096U);
    BOOST_TEST(config_value::parse_bytes("16KiB").value() == 16384U);
    BOOST_TEST(config_value::parse_bytes("1MiB").value() == 1048576U);
    BOOST_TEST(config_value::parse_bytes("2GiB").value() == 2147483648U);
    for (const auto* wrong : {"", "-1", "16kb", "16 KiB", "KiB", "9999999999999GiB", "1.5MiB"})
        BOOST_TEST(!config_value::parse_bytes(wrong).has_value(), wrong);
}

BOOST_AUTO_TEST_CASE(are_shown_in_the_largest_unit_that_fits)
{
    BOOST_TEST(config_value::show_duration(90s) == "90s");
    BOOST_TEST(config_value::show_duration(120s) == "2min");
    BOOST_TEST(config_value::show_duration(1500us) == "1500us");
    BOOST_TEST(config_value::show_duration(0s) == "0s");
    BOOST_TEST(config_value::show_bytes(16384) == "16KiB");
    BOOST_TEST(config_value::show_bytes(1000) == "1000B");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(a_document, fixture)

BOOST_AUTO_TEST_CASE(sets_what_it_names_and_nothing_else)
{
    keys.read_toml("http.port = 9000\n[http]\n", "a.toml");
    BOOST_TEST(!faults().empty()); // TOML does not let a table be opened twice

    fixture fresh;
    fresh.keys.read_toml("[http]\nport = 9000\nmax_body = \"2KiB\"\nrequest_budget = \"50ms\"\n"
                         "[log]\naccess = false\nformat = \"json\"\n[lane.read]\nrunning = 3\n",
                         "a.toml");

    BOOST_TEST(fresh.faults() == "");
    BOOST_TEST(fresh.port == 9000);
    BOOST_TEST(fresh.body == 2048U);
    BOOST_TEST((fresh.budget == 50ms));
    BOOST_TEST(!fresh.access);
    BOOST_TEST((fresh.format == format::json));
    BOOST_TEST(fresh.running == 3);
    BOOST_TEST(fresh.address == "127.0.0.1");
    BOOST_TEST(fresh.keys.is_set("http.port"));
    BOOST_TEST(!fresh.keys.is_set("http.address"));
}

BOOST_AUTO_TEST_CASE(has_lists_as_arrays)
{
    keys.read_toml("[trust]\nproxies = [\"10.0.0.1\", \"a,b\"]\n", "a.toml");

    BOOST_TEST(faults() == "");
    BOOST_TEST(proxies == (std::vector<std::string>{"10.0.0.1", "a,b"}));
    BOOST_TEST(keys.text().find("proxies = [\"10.0.0.1\", \"a,b\"]\n") != std::string::npos, keys.text());
}

BOOST_AUTO_TEST_CASE(has_lists_of_texts_only)
{
    keys.read_toml("[trust]\nproxies = [\"10.0.0.1\", 1]\n", "a.toml");

    BOOST_TEST(faults() == "a.toml:2: trust.proxies = an array: must be an array of texts in quotes");
    BOOST_TEST(proxies == std::vector<std::string>{"one"});
}

BOOST_AUTO_TEST_CASE(is_told_every_fault_with_its_line_and_what_would_be_right)
{
    keys.read_toml("[http]\n"
                   "port = 70000\n"
                   "addres = \"::1\"\n"
                   "request_budget = 50\n"
                   "max_body = \"1Mb\"\n"
                   "address = [1]\n"
                   "[log]\n"
                   "format = \"xml\"\n"
                   "access = \"true\"\n",
                   "a.toml");

    BOOST_TEST(
        faults() ==
        "a.toml:2: http.port = 70000: must be a whole number from 0 to 65535\n"
        "a.toml:3: http.addres: there is no such key; did you mean http.address?\n"
        "a.toml:4: http.request_budget = 50: must be a duration from \"1ms\" to \"1h\", in ms, s, min or h\n"
        "a.toml:5: http.max_body = \"1Mb\": must be a size from \"1B\" to \"1GiB\", in B, KiB, MiB or GiB\n"
        "a.toml:6: http.address = an array: must be a text in quotes\n"
        "a.toml:8: log.format = \"xml\": must be \"text\" or \"json\"\n"
        "a.toml:9: log.access = \"true\": must be true or false");
    BOOST_TEST(port == 8080); // what was wrong has changed nothing
}

BOOST_AUTO_TEST_CASE(is_told_what_there_is_where_nothing_is_near)
{
    keys.read_toml("[http]\nquite_another_thing = 1\n[nonsense]\nx = 1\n", "a.toml");

    BOOST_TEST(faults() ==
               "a.toml:2: http.quite_another_thing: there is no such key; "
               "[http] has address, port, max_body, request_budget\n"
               "a.toml:3: nonsense: there is no such key; there are [http], [log], [trust], [lane.read]");
}

BOOST_AUTO_TEST_CASE(that_is_not_toml_is_told_its_line)
{
    keys.read_toml("[http]\nport = \n", "a.toml");

    BOOST_TEST(faults().starts_with("a.toml:2: this is not TOML: "));
}

BOOST_AUTO_TEST_CASE(that_is_not_there_is_a_fault)
{
    keys.read_file("/nowhere/heddle.toml");

    BOOST_TEST(faults() == "/nowhere/heddle.toml: cannot be read");
}

BOOST_AUTO_TEST_CASE(that_is_a_directory_is_a_fault)
{
    keys.read_file("/");

    BOOST_TEST(faults() == "/: cannot be read");
}

BOOST_AUTO_TEST_CASE(says_what_a_duration_is_a_multiple_of)
{
    keys.read_toml("[http]\nrequest_budget = \"1999us\"\n", "a.toml");

    BOOST_TEST(faults() ==
               "a.toml:2: http.request_budget = \"1999us\": must be a duration from \"1ms\" to \"1h\", "
               "in ms, s, min or h");
}

BOOST_AUTO_TEST_CASE(written_by_text_reads_back_as_the_same_values)
{
    keys.read_toml("[http]\nport = 1\naddress = \"a\\\"b\"\n", "a.toml");
    fixture other;

    other.keys.read_toml(keys.text(), "b.toml");

    BOOST_TEST(other.faults() == "");
    BOOST_TEST(other.port == 1);
    BOOST_TEST(other.address == "a\"b");
    BOOST_TEST(other.keys.text() == keys.text());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(a_secret)

BOOST_AUTO_TEST_CASE(is_shown_in_part_and_repeated_in_no_fault)
{
    std::string word = "";
    heddle::configuration keys;
    keys.section("door", "");
    keys.secret(
        "word", word, "a name, a colon and a password",
        [](const std::string& text) -> std::optional<std::string> {
            const auto colon = text.find(':');
            return colon == text.npos && !text.empty() ? std::nullopt : std::optional(text.substr(0, colon));
        },
        "");

    keys.read_toml("[door]\nword = \"ada:hush\"\n", "a.toml");
    BOOST_TEST(word == "ada:hush");
    BOOST_TEST(keys.text() == "[door]\nword = \"ada\"\n");

    keys.read_toml("[door]\nword = \"hush\"\n", "b.toml");
    BOOST_TEST(word == "ada:hush");
    BOOST_CHECK_EXCEPTION(keys.check(), heddle::config_error, [](const heddle::config_error& failure) {
        return std::string(failure.what()) == "b.toml:2: door.word: must be a name, a colon and a password";
    });
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(overrides, fixture)

BOOST_AUTO_TEST_CASE(the_later_source_wins)
{
    const char* environment[] = {"PATH=/bin", "HEDDLE_HTTP_PORT=9001", "HEDDLE_LANE_READ_RUNNING=2", nullptr};

    keys.read_toml("[http]\nport = 9000\n[lane.read]\nrunning = 1\n", "a.toml");
    keys.read_environment(environment);
    keys.read_flag("http.port", "9002");
    keys.read_flag("trust.proxies", "10.0.0.1,::1");
    BOOST_TEST(proxies == (std::vector<std::string>{"10.0.0.1", "::1"}));
    keys.read_flag("trust.proxies", "");
    BOOST_TEST(proxies.empty());

    BOOST_TEST(faults() == "");
    BOOST_TEST(port == 9002);
    BOOST_TEST(running == 2);
}

BOOST_AUTO_TEST_CASE(are_told_their_faults_by_name)
{
    const char* environment[] = {"HEDDLE_HTTP_PORT=many", "HEDDLE_HTTP_PROT=1", nullptr};

    const auto strangers = keys.read_environment(environment);
    keys.read_flag("log.access", "yes");
    keys.read_flag("log.acess", "true");

    BOOST_TEST(strangers == std::vector<std::string>{"HEDDLE_HTTP_PROT"}, boost::test_tools::per_element());
    BOOST_TEST(faults() == "HEDDLE_HTTP_PORT: http.port = \"many\": must be a whole number from 0 to 65535\n"
                           "--log.access: log.access = \"yes\": must be true or false\n"
                           "--log.acess: log.acess: there is no such key; did you mean log.access?");
}

BOOST_AUTO_TEST_SUITE_END()
