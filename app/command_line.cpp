// Flags are keys of the configuration: --http.port=8080 or --http.port 8080.
#include "command_line.hpp"

#include <heddle/base/log.hpp>

#include <algorithm>
#include <string_view>

namespace app {

namespace {

struct flag
{
    std::string name;
    std::string value;
};

struct parsed
{
    serve_request request;
    std::string config; // --config; empty: none
    std::vector<flag> flags;
    std::vector<std::string> faults;
};

// Whether it can be a key, or was meant to be one.
bool is_like_a_key(std::string_view text)
{
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
    };
    return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

// The name is repeated in faults; a word that cannot be one may be the database's address, with its password.
std::string_view name_in(std::string_view word)
{
    if (!word.starts_with("--"))
        return {};
    const auto name = word.substr(2, word.find('=') - 2);
    return is_like_a_key(name) ? name : std::string_view();
}

parsed parse(const arguments& words)
{
    parsed out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        const std::string name(name_in(word));
        if (word == "--help" || word == "-h") {
            out.request.help = true;
        } else if (word == "--print-config") {
            out.request.print_config = true;
        } else if (name.empty()) {
            out.faults.push_back("word " + std::to_string(i + 1) +
                                 " behind the command: a flag is expected here, such as --http.port=8080");
        } else if (const auto equals = word.find('='); equals != word.npos) {
            out.flags.push_back({name, std::string(word.substr(equals + 1))});
        } else if (i + 1 == words.size()) {
            out.faults.push_back(words[i] + ": its value is missing");
        } else {
            out.flags.push_back({name, words[i + 1]});
            ++i;
        }
    }
    std::erase_if(out.flags, [&](const flag& flag) {
        if (flag.name == "config")
            out.config = flag.value;
        return flag.name == "config";
    });
    return out;
}

std::string value_of(const char* const* environment, std::string_view name)
{
    for (; environment && *environment; ++environment) {
        const std::string_view entry(*environment);
        if (entry.starts_with(name) && entry.substr(name.size()).starts_with('='))
            return std::string(entry.substr(name.size() + 1));
    }
    return {};
}

} // namespace

serve_request read_sources(heddle::configuration& keys, const arguments& words,
                           const char* const* environment)
{
    const auto typed = parse(words);
    if (typed.request.help)
        return typed.request;

    const auto file = typed.config.empty() ? value_of(environment, "HEDDLE_CONFIG") : typed.config;
    if (!file.empty())
        keys.read_file(file);
    for (const auto& name : keys.read_environment(environment))
        if (name != "HEDDLE_CONFIG")
            heddle::log::warn("this variable sets nothing", {{"name", name}});
    for (const auto& fault : typed.faults)
        keys.fault(fault);
    for (const auto& flag : typed.flags)
        keys.read_flag(flag.name, flag.value);
    keys.check();
    return typed.request;
}

std::string usage()
{
    return "heddle serve [--config FILE] [--KEY=VALUE ...]   the server; see heddle serve --help\n"
           "heddle capacity [--config FILE] [--KEY=VALUE ...]   has PostgreSQL room for all connections?\n"
           "heddle migrate [--dry-run] [--config FILE] [--KEY=VALUE ...]   makes and changes the tables\n"
           "heddle bench                                     what is measured, on 127.0.0.1:$BENCH_PORT\n"
           "heddle --version\n"
           "heddle --help\n";
}

std::string serve_usage(const heddle::configuration& keys)
{
    return "heddle serve [--config FILE] [--KEY=VALUE ...]\n"
           "\n"
           "  --config FILE    a TOML file (also HEDDLE_CONFIG=FILE)\n"
           "  --print-config   print what would be used, and end\n"
           "\n"
           "Every key below can be set in the file, by a flag and by a variable of the environment; a flag\n"
           "wins over a variable, and a variable over the file:\n"
           "\n"
           "  [http] port = 8080    --http.port=8080    HEDDLE_HTTP_PORT=8080\n"
           "\n" +
           keys.text();
}

} // namespace app
