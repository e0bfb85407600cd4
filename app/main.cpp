// heddle: picks the command, and turns what stops a start into a message and an exit code.
#include "bench.hpp"
#include "capacity.hpp"
#include "command_line.hpp"
#include "migrate.hpp"
#include "serve.hpp"

#include <heddle/base/error.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

constexpr int wrong_use = 2;

void print(const std::string& text, FILE* to = stdout)
{
    std::fwrite(text.data(), 1, text.size(), to);
}

// For the commands that know the server's keys.
int with_settings(const app::arguments& flags, const std::function<int(const app::settings&)>& command)
{
    app::settings settings;
    auto keys = app::describe(settings);
    const auto request = app::read_sources(keys, flags, environ);
    if (request.help || request.print_config) {
        print(request.help ? app::serve_usage(keys) : keys.text());
        return EXIT_SUCCESS;
    }
    return command(settings);
}

int run(const std::string& command, const app::arguments& rest)
{
    if (command == "serve")
        return with_settings(rest, app::serve);
    if (command == "capacity")
        return with_settings(rest, app::capacity);
    if (command == "migrate") {
        auto flags = rest;
        const bool only_look = std::erase(flags, "--dry-run") > 0;
        return with_settings(flags, [&](const auto& settings) { return app::migrate(settings, only_look); });
    }
    if (command == "bench")
        return app::bench();
    if (command == "--version") {
        print("heddle " HEDDLE_VERSION "\n");
        return EXIT_SUCCESS;
    }
    if (command == "--help" || command == "-h") {
        print(app::usage());
        return EXIT_SUCCESS;
    }
    // Not repeated: it may be the database's address, with a password.
    print(command.empty() ? "" : "heddle: the first word is not one of its commands:\n", stderr);
    print(app::usage(), stderr);
    return wrong_use;
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGPIPE, SIG_IGN); // a log that nobody reads any more must not end the server
    const app::arguments words(argv + (argc > 0), argv + argc);
    try {
        return words.empty() ? run("", {}) : run(words[0], {words.begin() + 1, words.end()});
    } catch (const heddle::config_error& failure) {
        print(std::string("heddle: this cannot be started:\n") + failure.what() + "\n", stderr);
        return wrong_use;
    } catch (const std::exception& failure) {
        print(std::string("heddle: ") + failure.what() + "\n", stderr);
        return EXIT_FAILURE;
    }
}
