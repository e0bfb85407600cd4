// Reads a TOML document into a configuration. The only file that knows toml++.
#include <heddle/base/config.hpp>

#include "base/config_value.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace heddle {

namespace {

configuration::value to_value(const toml::array& array)
{
    std::vector<std::string> texts;
    for (const auto& node : array) {
        const auto* s = node.as_string();
        if (!s)
            return {};
        texts.push_back(s->get());
    }
    return {std::move(texts)};
}

configuration::value to_value(const toml::node& node)
{
    if (const auto* b = node.as_boolean())
        return {b->get()};
    if (const auto* n = node.as_integer())
        return {n->get()};
    if (const auto* d = node.as_floating_point())
        return {d->get()};
    if (const auto* s = node.as_string())
        return {s->get()};
    if (const auto* a = node.as_array())
        return to_value(*a);
    return {};
}

std::string shown(const toml::node& node)
{
    if (node.is_table())
        return "a table";
    if (node.is_array())
        return "an array";
    if (const auto* s = node.as_string())
        return config_value::quote(s->get());
    std::ostringstream out;
    node.visit([&](const auto& one) { out << one; });
    return out.str();
}

} // namespace

struct toml_reader
{
    configuration& into;
    const std::string& file;

    std::string at(const toml::source_region& where) const
    {
        return file + ":" + std::to_string(where.begin.line);
    }

    // Keys in the order of their lines: toml++ keeps tables sorted by name.
    void read(const toml::table& table, const std::string& prefix) const
    {
        std::vector<std::pair<const toml::key*, const toml::node*>> entries;
        for (const auto& [key, node] : table)
            entries.emplace_back(&key, &node);
        std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
            return a.first->source().begin < b.first->source().begin;
        });
        for (const auto& [key, node] : entries)
            read(*key, *node,
                 prefix.empty() ? std::string(key->str()) : prefix + '.' + std::string(key->str()));
    }

    void read(const toml::key& key, const toml::node& node, const std::string& name) const
    {
        if (auto* known = into.find(name))
            into.set(*known, known->set(to_value(node)), at(key.source()), shown(node));
        else if (node.is_table() && is_section(name))
            read(*node.as_table(), name);
        else
            into.fault(at(key.source()) + ": " + into.unknown(name));
    }

    bool is_section(const std::string& name) const
    {
        return std::any_of(into.sections_.begin(), into.sections_.end(), [&](const auto& section) {
            return section.first == name || section.first.starts_with(name + '.');
        });
    }
};

void configuration::read_toml(std::string_view document, const std::string& name)
{
    try {
        toml_reader{*this, name}.read(toml::parse(document, name), "");
    } catch (const toml::parse_error& failure) {
        fault(name + ":" + std::to_string(failure.source().begin.line) +
              ": this is not TOML: " + std::string(failure.description()));
    }
}

void configuration::read_file(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream document;
    if (file.peek() !=
        std::ifstream::traits_type::eof()) // an empty file says nothing; a directory goes bad here
        document << file.rdbuf();
    if (!file.is_open() || file.bad())
        fault(path + ": cannot be read");
    else
        read_toml(document.str(), path);
}

} // namespace heddle
