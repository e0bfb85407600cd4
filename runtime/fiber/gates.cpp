// A handful of names: looked up once, when the parts are built, so a linear search will do.
#include <heddle/fiber/gates.hpp>

#include <heddle/base/error.hpp>

#include <algorithm>
#include <string>

namespace heddle::fiber {

gates::gates(std::vector<gate_options> options)
{
    for (auto& one : options) {
        if (std::ranges::any_of(gates_, [&](const gate& other) { return other.name() == one.name; }))
            throw config_error("gate \"" + one.name + "\": there are two of this name");
        gates_.emplace_back(std::move(one));
    }
}

gate& gates::operator[](std::string_view name)
{
    const auto found = std::ranges::find(gates_, name, &gate::name);
    if (found == gates_.end())
        throw config_error("gate \"" + std::string(name) + "\": there is none of this name");
    return *found;
}

} // namespace heddle::fiber
