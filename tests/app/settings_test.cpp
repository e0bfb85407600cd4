// The keys of the server: what app/heddle.toml says is what
// the code does, and each source overrides the one before.
#include "command_line.hpp"
#include "database.hpp"
#include "settings.hpp"

#include <heddle/base/error.hpp>
#include <heddle/base/log.hpp>
#include <heddle/testing/temporary_directory.hpp>

#define BOOST_TEST_MODULE settings
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace {

std::string content(const std::string& path)
{
    std::ifstream file(path);
    BOOST_REQUIRE_MESSAGE(file.is_open(), path);
    return {std::istreambuf_iterator<char>(file), {}};
}

struct fixture
{
    app::settings settings;
    heddle::configuration keys = app::describe(settings);
    heddle::testing::temporary_directory directory;

    std::string write(const std::string& text)
    {
        const std::string path = directory.path("heddle.toml");
        std::ofstream(path) << text;
        return path;
    }

    // The faults; empty if there are none.
    std::string read(const app::arguments& flags, std::vector<const char*> environment = {})
    {
        environment.push_back(nullptr);
        try {
            app::read_sources(keys, flags, environment.data());
        } catch (const heddle::config_error& failure) {
            return failure.what();
        }
        return "";
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(the_configuration, fixture)

BOOST_AUTO_TEST_CASE(is_written_out_in_full_in_the_shipped_file)
{
    const auto shipped = content(HEDDLE_SOURCE "/app/heddle.toml");

    // The head of the file is for people; all that follows is what the code would print.
    BOOST_TEST(shipped.substr(shipped.find("# The threads")) == keys.text());
}

BOOST_AUTO_TEST_CASE(of_the_shipped_file_sets_every_key_to_its_default)
{
    app::settings changed;
    auto others = app::describe(changed);
    others.read_file(HEDDLE_SOURCE "/app/heddle.toml");

    BOOST_CHECK_NO_THROW(others.check());
    BOOST_TEST(others.text() == keys.text());
    for (const auto& name : others.names())
        BOOST_TEST(others.is_set(name), name);
}

BOOST_AUTO_TEST_CASE(has_no_two_keys_with_the_same_variable)
{
    std::set<std::string> variables;
    for (const auto& name : keys.names())
        variables.insert(heddle::configuration::variable(name));

    BOOST_TEST(variables.size() == keys.names().size());
}

BOOST_AUTO_TEST_CASE(every_key_can_be_set_by_its_variable)
{
    // Given: each key's own default, as a variable's text, without the quotes and brackets that TOML wants.
    std::vector<std::string> texts;
    const auto document = keys.text();
    for (const auto& name : keys.names()) {
        const auto section = "[" + name.substr(0, name.rfind('.')) + "]\n";
        const auto key = "\n" + name.substr(name.rfind('.') + 1) + " = ";
        const auto from = document.find(key, document.find(section)) + key.size();
        auto value = document.substr(from, document.find('\n', from) - from);
        std::erase_if(value, [](char c) { return c == '"' || c == '[' || c == ']'; });
        texts.push_back(heddle::configuration::variable(name) + "=" + value);
    }
    std::vector<const char*> environment;
    for (const auto& text : texts)
        environment.push_back(text.c_str());

    const auto faults = read({}, environment);

    BOOST_TEST(faults == "");
    BOOST_TEST(keys.text() == document);
    for (const auto& name : keys.names())
        BOOST_TEST(keys.is_set(name), name);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(the_database, fixture)

BOOST_AUTO_TEST_CASE(is_the_file_unless_a_server_is_named)
{
    BOOST_TEST(app::driver_of(settings)->name() == "heddle.db");

    BOOST_TEST(read({"--database.url=postgresql://ada@db.example.org/shop"}) == "");

    BOOST_TEST(app::driver_of(settings)->name() == "postgres:shop");
}

BOOST_AUTO_TEST_CASE(may_be_named_in_every_form_that_psql_takes)
{
    for (const auto* url :
         {"postgresql://", "postgres://ada:hush@db1,db2:5433/shop?target_session_attrs=primary",
          "host=/run/postgresql dbname='my shop'", "service=shop", ""})
        BOOST_TEST(read({"--database.url", url}) == "", url);
}

BOOST_AUTO_TEST_CASE(is_told_where_it_is_wrong_and_what_would_be_right_but_not_repeated)
{
    const auto file = write("[database]\nurl = \"mysql://ada:hush@h/shop\"\n");

    const auto faults = read({"--config", file, "--database.url=postgresql://ada:hu%sh@h"},
                             {"HEDDLE_DATABASE_URL=host=h password=hu sh"});

    const std::string right = ": database.url: must be what psql takes, such as "
                              "\"postgresql://ada@db.example.org:5432/orders\" or "
                              "\"host=/run/postgresql dbname=orders\"";
    BOOST_TEST(faults == file + ":2" + right + "\nHEDDLE_DATABASE_URL" + right + "\n--database.url" + right);
}

BOOST_AUTO_TEST_CASE(is_printed_without_its_passwords)
{
    read({"--database.url=postgresql://ada:hush@h:5433/my%20shop?sslpassword=hush&sslmode=verify-full"});

    BOOST_TEST(keys.text().find("\nurl = \"user=ada dbname='my shop' host=h port=5433 "
                                "sslmode=verify-full\"\n") != std::string::npos,
               keys.text());
    BOOST_TEST(settings.postgres.connection.find("hush") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(that_is_a_server_lets_no_more_write_than_there_are_connections)
{
    using heddle::db::database_options;
    const auto writing = [](const database_options& options) { return options.lanes.at(1).running; };

    BOOST_TEST(writing(app::database_options(settings, app::driver_of(settings))) == 64);
    read({"--database.url=postgresql://", "--database.pool_size=5"});
    BOOST_TEST(writing(app::database_options(settings, app::driver_of(settings))) == 5);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(the_command_line, fixture)

BOOST_AUTO_TEST_CASE(wins_over_the_environment_which_wins_over_the_file)
{
    const auto file = write("[http]\nport = 1\naddress = \"::1\"\nmax_requests = 3\n");

    const auto faults =
        read({"--config", file, "--http.port=3"}, {"HEDDLE_HTTP_PORT=2", "HEDDLE_HTTP_ADDRESS=127.0.0.2"});

    BOOST_TEST(faults == "");
    BOOST_TEST(settings.clients.port == 3);
    BOOST_TEST(settings.clients.address == "127.0.0.2");
    BOOST_TEST(settings.http.max_requests == 3);
}

BOOST_AUTO_TEST_CASE(takes_a_value_after_an_equals_sign_or_as_the_next_word)
{
    const auto faults = read({"--http.port", "1234", "--log.format=json"});

    BOOST_TEST(faults == "");
    BOOST_TEST(settings.clients.port == 1234);
    BOOST_TEST((settings.log.format == heddle::log::format::json));
}

BOOST_AUTO_TEST_CASE(may_name_the_file_by_variable)
{
    const auto file = "HEDDLE_CONFIG=" + write("[http]\nport = 77\n");

    const auto faults = read({}, {file.c_str()});

    BOOST_TEST(faults == "");
    BOOST_TEST(settings.clients.port == 77);
}

BOOST_AUTO_TEST_CASE(is_told_the_faults_of_all_sources_at_once)
{
    const auto file = write("[lane.read]\nrunning = 0\n");

    const auto faults =
        read({"--config", file, "stray", "--http.prot=1", "--log.file"}, {"HEDDLE_LOG_LEVEL=loud"});

    BOOST_TEST(faults ==
               file + ":2: lane.read.running = 0: must be a whole number from 1 to 10000\n"
                      "HEDDLE_LOG_LEVEL: log.level = \"loud\": must be \"info\", \"warning\" or \"error\"\n"
                      "word 3 behind the command: a flag is expected here, such as --http.port=8080\n"
                      "--log.file: its value is missing\n"
                      "--http.prot: http.prot: there is no such key; did you mean http.port?");
}

BOOST_AUTO_TEST_CASE(does_not_repeat_an_address_where_a_flag_is_expected)
{
    const std::vector<app::arguments> slips{
        {"postgresql://ada:hush@db/shop"},
        {"--postgresql://ada:hush@db/shop"},
        {"--postgresql://ada:hush@db/shop?sslmode=require"},
        {"--postgresql://ada:hush@db/shop", "--http.port=81"},
        {"host=db", "password=hush"},
        {"--database.url=", "postgresql://ada:hush@db/shop"},
    };
    for (const auto& words : slips) {
        const auto faults = read(words);
        BOOST_TEST(faults.find("behind the command: a flag is expected here") != std::string::npos, faults);
        BOOST_TEST(faults.find("hush") == std::string::npos, faults);
    }
}

BOOST_AUTO_TEST_CASE(names_a_variable_that_sets_nothing_but_starts)
{
    std::vector<std::string> lines;
    heddle::log::capture capture(
        [&](heddle::log::level, std::string_view line) { lines.emplace_back(line); });

    const auto faults = read({}, {"HEDDLE_HTP_PORT=1"});

    BOOST_TEST(faults == "");
    BOOST_TEST(lines == std::vector<std::string>{"this variable sets nothing name=HEDDLE_HTP_PORT"},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
