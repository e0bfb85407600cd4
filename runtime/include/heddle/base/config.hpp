// Configuration: a list of keys, each with the variable it sets, read from
// a TOML file, the environment and flags. Every fault is collected, with
// where it is and what would be right, and all of them are told together.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {

// Values that a key may have, both ends included.
template <class T>
struct allowed
{
    T least;
    T most;
};
template <class T>
allowed(T, T) -> allowed<T>;

// The variables keep what they had (the defaults) until a source names their key. They must outlive this.
class configuration
{
public:
    // The keys declared from here on lie in `[name]`. `help` is what text() writes above it.
    void section(std::string name, std::string help);

    void boolean(const std::string& name, bool& into, std::string help);
    void text(const std::string& name, std::string& into, std::string help);
    // Texts: an array of them in a file; in a variable or a flag with commas between.
    void list(const std::string& name, std::vector<std::string>& into, std::string help);

    // A text that may have a password in it. `shown` gives what text() may print of it, or nothing if it is
    // not what is `expected`; no fault repeats it.
    using shown_part = std::function<std::optional<std::string>(const std::string&)>;
    void secret(const std::string& name, std::string& into, std::string expected, shown_part shown,
                std::string help);

    // One of a few words, each of which stands for a value.
    template <class T>
    void choice(const std::string& name, T& into, std::vector<std::pair<std::string, T>> words,
                std::string help)
    {
        std::vector<std::string> names;
        for (const auto& [word, stands_for] : words)
            names.push_back(word);
        const auto get = [&into, words] {
            std::size_t i = 0;
            while (i + 1 < words.size() && words[i].second != into)
                ++i;
            return i;
        };
        add_choice(
            name, std::move(names), [&into, words](std::size_t i) { into = words[i].second; }, get,
            std::move(help));
    }

    // A number of bytes: 4096, "4KiB", "1MiB", "2GiB".
    void bytes(const std::string& name, std::size_t& into, allowed<std::size_t> range, std::string help);

    template <class Integer>
    void integer(const std::string& name, Integer& into, allowed<Integer> range, std::string help)
    {
        static_assert(std::is_integral_v<Integer> && sizeof(Integer) <= sizeof(std::int64_t));
        add_integer(
            name, {static_cast<std::int64_t>(range.least), static_cast<std::int64_t>(range.most)},
            [&into](std::int64_t n) { into = static_cast<Integer>(n); },
            [&into] { return static_cast<std::int64_t>(into); }, std::move(help));
    }

    // A duration with its unit: "250us", "50ms", "2s", "5min", "1h"; a whole number of `into`'s own unit.
    template <class Rep, class Period>
    void duration(const std::string& name, std::chrono::duration<Rep, Period>& into,
                  allowed<std::chrono::nanoseconds> range, std::string help)
    {
        using type = std::chrono::duration<Rep, Period>;
        add_duration(
            name, range, type(1),
            [&into](std::chrono::nanoseconds d) { into = std::chrono::duration_cast<type>(d); },
            [&into] { return std::chrono::nanoseconds(into); }, std::move(help));
    }

    // Sources. The one that is read later wins. None of them throws: see check().
    void read_file(const std::string& path);
    // `name` stands for the file in messages.
    void read_toml(std::string_view document, const std::string& name);
    // `environment` is a null-terminated array of NAME=value.
    // Returns the names that begin with HEDDLE_ and are no key's.
    std::vector<std::string> read_environment(const char* const* environment);
    void read_flag(const std::string& key, const std::string& value); // --http.port=8080

    // Notes a fault of the caller's own, such as one between two keys.
    void fault(std::string message);

    // Throws: config_error with every fault, a line each, in the order in which they were found.
    void check() const;

    bool has(std::string_view key) const { return find(key) != nullptr; }
    // Whether any source has named this key.
    bool is_set(std::string_view key) const;
    std::vector<std::string> names() const;

    // The keys with the values they have now, as a TOML document with their help.
    std::string text() const;
    // HEDDLE_HTTP_PORT for http.port.
    static std::string variable(std::string_view key);

    struct value; // of config_value.hpp
    struct key
    {
        std::string section;
        std::string name;
        std::string help;
        std::string expected;                          // "a whole number from 0 to 65535"
        std::function<bool(const value&)> set;         // false: is not what is expected
        std::function<bool(const std::string&)> parse; // the same from a flag's or variable's text
        std::function<std::string()> show;             // as TOML
        bool is_secret = false;
        bool is_set = false;

        std::string full_name() const { return section.empty() ? name : section + '.' + name; }
    };

private:
    void add_integer(const std::string& name, allowed<std::int64_t> range,
                     std::function<void(std::int64_t)> set, std::function<std::int64_t()> get,
                     std::string help);
    void add_choice(const std::string& name, std::vector<std::string> words,
                    std::function<void(std::size_t)> set, std::function<std::size_t()> get, std::string help);
    void add_duration(const std::string& name, allowed<std::chrono::nanoseconds> range,
                      std::chrono::nanoseconds unit, std::function<void(std::chrono::nanoseconds)> set,
                      std::function<std::chrono::nanoseconds()> get, std::string help);
    void add(key added);
    key* find(std::string_view full_name);
    const key* find(std::string_view full_name) const;
    void set(key& key, bool accepted, const std::string& where, const std::string& shown);
    std::string unknown(std::string_view full_name) const;

    friend struct toml_reader;

    std::vector<key> keys_;
    std::vector<std::pair<std::string, std::string>> sections_; // name, help
    std::vector<std::string> faults_;
};

} // namespace heddle
