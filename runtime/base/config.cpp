// The list of keys, the sources that are text (environment, flags), and the document that shows them all.
#include <heddle/base/config.hpp>

#include <heddle/base/error.hpp>

#include "base/config_value.hpp"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <numeric>

namespace heddle {

namespace {

// How many letters must be added, dropped or changed to make one of the other.
std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t(0));
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const auto replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row.back();
}

std::string commented(const std::string& help)
{
    return help.empty() ? "" : "# " + help + '\n';
}

} // namespace

void configuration::section(std::string name, std::string help)
{
    sections_.emplace_back(std::move(name), std::move(help));
}

void configuration::add(key added)
{
    added.section = sections_.empty() ? "" : sections_.back().first;
    assert(!find(added.full_name()));
    keys_.push_back(std::move(added));
}

configuration::key* configuration::find(std::string_view full_name)
{
    const auto place = std::find_if(keys_.begin(), keys_.end(),
                                    [&](const key& key) { return key.full_name() == full_name; });
    return place == keys_.end() ? nullptr : &*place;
}

const configuration::key* configuration::find(std::string_view full_name) const
{
    return const_cast<configuration*>(this)->find(full_name);
}

bool configuration::is_set(std::string_view key) const
{
    const auto* found = find(key);
    return found && found->is_set;
}

std::vector<std::string> configuration::names() const
{
    std::vector<std::string> all;
    for (const auto& key : keys_)
        all.push_back(key.full_name());
    return all;
}

void configuration::set(key& key, bool accepted, const std::string& where, const std::string& shown)
{
    if (accepted)
        key.is_set = true;
    else
        fault(where + ": " + key.full_name() + (key.is_secret ? "" : " = " + shown) + ": must be " +
              key.expected);
}

std::string configuration::unknown(std::string_view full_name) const
{
    std::string message(full_name);
    message += ": there is no such key";
    const key* nearest = nullptr;
    std::size_t distance = 1 + full_name.size() / 3;
    for (const auto& key : keys_)
        if (const auto d = edit_distance(full_name, key.full_name()); d < distance) {
            nearest = &key;
            distance = d;
        }
    if (nearest)
        return message + "; did you mean " + nearest->full_name() + "?";

    const auto section = full_name.substr(0, full_name.rfind('.'));
    std::string list;
    for (const auto& key : keys_)
        if (full_name.find('.') != full_name.npos && key.section == section)
            list += (list.empty() ? "" : ", ") + key.name;
    if (!list.empty())
        return message + "; [" + std::string(section) + "] has " + list;
    for (const auto& [name, help] : sections_)
        list += (list.empty() ? "[" : ", [") + name + "]";
    return message + "; there are " + list;
}

std::vector<std::string> configuration::read_environment(const char* const* environment)
{
    std::vector<std::string> strangers;
    for (; environment && *environment; ++environment) {
        const std::string_view entry(*environment);
        const auto equals = entry.find('=');
        if (equals == entry.npos || !entry.starts_with("HEDDLE_"))
            continue;
        const std::string name(entry.substr(0, equals));
        const std::string value(entry.substr(equals + 1));
        const auto place = std::find_if(keys_.begin(), keys_.end(),
                                        [&](const key& key) { return variable(key.full_name()) == name; });
        if (place == keys_.end())
            strangers.push_back(name);
        else
            set(*place, place->parse(value), name, config_value::quote(value));
    }
    return strangers;
}

void configuration::read_flag(const std::string& name, const std::string& value)
{
    if (auto* key = find(name))
        set(*key, key->parse(value), "--" + name, config_value::quote(value));
    else
        fault("--" + name + ": " + unknown(name));
}

void configuration::fault(std::string message)
{
    faults_.push_back(std::move(message));
}

void configuration::check() const
{
    if (faults_.empty())
        return;
    std::string all;
    for (const auto& fault : faults_)
        all += (all.empty() ? "" : "\n") + fault;
    throw config_error(all);
}

std::string configuration::text() const
{
    std::string out;
    for (const auto& [name, help] : sections_) {
        out += (out.empty() ? "" : "\n") + commented(help) + "[" + name + "]\n";
        for (const auto& key : keys_)
            if (key.section == name)
                out += commented(key.help) + key.name + " = " + key.show() + "\n";
    }
    return out;
}

std::string configuration::variable(std::string_view key)
{
    std::string name = "HEDDLE_";
    for (const char c : key)
        name += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return name;
}

} // namespace heddle
