// The kinds of keys: what each accepts from a file and from text, and how it says what it expects.
#include "base/config_value.hpp"

#include <algorithm>
#include <cassert>

namespace heddle {

using namespace std::chrono_literals;

namespace {

// A key's two ways in, from one function on the value's own type: `set` answers whether it took it.
template <class T, class Set>
std::function<bool(const configuration::value&)> from_file(Set set)
{
    return [set](const configuration::value& value) {
        const auto* is = std::get_if<T>(&value.is);
        return is && set(*is);
    };
}

std::string one_of(const std::vector<std::string>& words)
{
    std::string list;
    for (std::size_t i = 0; i < words.size(); ++i)
        list += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + config_value::quote(words[i]);
    return list;
}

} // namespace

void configuration::boolean(const std::string& name, bool& into, std::string help)
{
    const auto set = [&into](bool b) { return into = b, true; };
    add({{},
         name,
         std::move(help),
         "true or false",
         from_file<bool>(set),
         [set](const std::string& text) {
             const auto b = config_value::parse_boolean(text);
             return b && set(*b);
         },
         [&into] { return std::string(into ? "true" : "false"); }});
}

void configuration::text(const std::string& name, std::string& into, std::string help)
{
    const auto set = [&into](const std::string& s) { return into = s, true; };
    add({{}, name, std::move(help), "a text in quotes", from_file<std::string>(set), set, [&into] {
             return config_value::quote(into);
         }});
}

void configuration::list(const std::string& name, std::vector<std::string>& into, std::string help)
{
    const auto set = [&into](const std::vector<std::string>& texts) { return into = texts, true; };
    add({{},
         name,
         std::move(help),
         "an array of texts in quotes",
         from_file<std::vector<std::string>>(set),
         [set](const std::string& text) { return set(config_value::parse_list(text)); },
         [&into] { return config_value::show_list(into); }});
}

void configuration::secret(const std::string& name, std::string& into, std::string expected, shown_part shown,
                           std::string help)
{
    const auto set = [&into, shown](const std::string& s) { return shown(s) && (into = s, true); };
    add({{},
         name,
         std::move(help),
         std::move(expected),
         from_file<std::string>(set),
         set,
         [&into, shown] { return config_value::quote(shown(into).value_or("")); },
         true});
}

void configuration::add_choice(const std::string& name, std::vector<std::string> words,
                               std::function<void(std::size_t)> set, std::function<std::size_t()> get,
                               std::string help)
{
    auto expected = one_of(words);
    const auto parse = [words, set = std::move(set)](const std::string& text) {
        const auto place = std::find(words.begin(), words.end(), text);
        return place != words.end() && (set(static_cast<std::size_t>(place - words.begin())), true);
    };
    add({{},
         name,
         std::move(help),
         std::move(expected),
         from_file<std::string>(parse),
         parse,
         [words = std::move(words), get = std::move(get)] { return config_value::quote(words[get()]); }});
}

void configuration::bytes(const std::string& name, std::size_t& into, allowed<std::size_t> range,
                          std::string help)
{
    const auto take = [&into, range](std::size_t n) {
        return n >= range.least && n <= range.most && (into = n, true);
    };
    const auto parse = [take](const std::string& text) {
        const auto n = config_value::parse_bytes(text);
        return n && take(*n);
    };
    add({{},
         name,
         std::move(help),
         "a size from " + config_value::quote(config_value::show_bytes(range.least)) + " to " +
             config_value::quote(config_value::show_bytes(range.most)) + ", in B, KiB, MiB or GiB",
         [take, parse](const value& value) {
             if (const auto* n = std::get_if<std::int64_t>(&value.is))
                 return *n >= 0 && take(static_cast<std::size_t>(*n));
             const auto* text = std::get_if<std::string>(&value.is);
             return text && parse(*text);
         },
         parse,
         [&into] { return config_value::quote(config_value::show_bytes(into)); }});
}

void configuration::add_integer(const std::string& name, allowed<std::int64_t> range,
                                std::function<void(std::int64_t)> set, std::function<std::int64_t()> get,
                                std::string help)
{
    const auto take = [set = std::move(set), range](std::int64_t n) {
        return n >= range.least && n <= range.most && (set(n), true);
    };
    add({{},
         name,
         std::move(help),
         "a whole number from " + std::to_string(range.least) + " to " + std::to_string(range.most),
         from_file<std::int64_t>(take),
         [take](const std::string& text) {
             const auto n = config_value::parse_integer(text);
             return n && take(*n);
         },
         [get = std::move(get)] { return std::to_string(get()); }});
}

void configuration::add_duration(const std::string& name, allowed<std::chrono::nanoseconds> range,
                                 std::chrono::nanoseconds unit,
                                 std::function<void(std::chrono::nanoseconds)> set,
                                 std::function<std::chrono::nanoseconds()> get, std::string help)
{
    const auto parse = [set = std::move(set), range, unit](const std::string& text) {
        const auto d = config_value::parse_duration(text);
        return d && *d >= range.least && *d <= range.most && *d % unit == 0ns && (set(*d), true);
    };
    add({{},
         name,
         std::move(help),
         "a duration from " + config_value::quote(config_value::show_duration(range.least)) + " to " +
             config_value::quote(config_value::show_duration(range.most)) + ", in " +
             (unit >= 1s    ? ""
              : unit >= 1ms ? "ms, "
                            : "us, ms, ") +
             "s, min or h",
         from_file<std::string>(parse),
         parse,
         [get = std::move(get)] { return config_value::quote(config_value::show_duration(get())); }});
}

} // namespace heddle
